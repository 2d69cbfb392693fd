// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/unitchecker"
)

// vetted is a module of a package that imports nothing, and of others that import it.
var vetted = map[string]string{
	"go.mod":       "module example.com/m\n\ngo 1.26\n",
	"keys/keys.go": "package keys\n\ntype Key string\n",
	"wrong/wrong.go": `package wrong

import "example.com/m/keys"

// A Cache is watched.
//
//ecl:observer Gett(k)/v, ok
//ecl:commute Put(k1, v1), Put(k2, v2): k1 <> k2
type Cache struct{ m map[keys.Key]int }

//atomc
func (c *Cache) Get(k keys.Key) (int, bool) {
	v, ok := c.m[k] //commute:ignore
	return v, ok
}

func (c *Cache) Put(k keys.Key, v int) { c.m[k] = v } //comute:ignore "<it>" is & was
`,
	"acts/acts.go": `package acts

import "example.com/m/keys"

// A Cache is watched.
//
//ecl:observer Get(k)/(v, ok)
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:arbiter PutNew(k, v)/old
//ecl:default false
type Cache struct{ m map[keys.Key]int }

func (c *Cache) Get(k keys.Key) (int, bool) { v, ok := c.m[k]; return v, ok }
func (c *Cache) Put(k keys.Key, v int)      { c.m[k] = v }
func (c *Cache) PutNew(k keys.Key, v int) int { return 0 }

func Fill(c *Cache, k keys.Key, n int) {
	if _, ok := c.Get(k); !ok {
		c.Put(k, n)
	}
}
`,
	"plain/plain.go": "package plain\n\nimport \"example.com/m/keys\"\n\nconst K keys.Key = " +
		"\"k\"\n",
	"ill/ill.go": "package ill\n\nimport \"example.com/m/keys\"\n\n//atomic\nfunc F() keys.Key " +
		"{ return 1 }\n",
	"sick/sick.go": "package sick\n\nimport \"example.com/m/keys\"\n\nconst K keys.Key = 1\n",
	"torn/torn.go": "package torn\n\nimport \"example.com/m/keys\"\n\nfunc F( { keys.Key }\n",
}

// A vetting is how the tool was run for a package, and what it did.
type vetting struct {
	code   int
	stderr string
	stdout string // what it wrote to the file that it was given for that
	kept   int    // the length of what it kept for those who import the package
}

// TestQuickVet compares the quick way of vetting with that of package unitchecker, which is gone
// for a flag in a form that the go command does not use: the output is the same.
func TestQuickVet(t *testing.T) {
	commute, err := exec.LookPath("commute")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range vetted {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list := exec.Command("go", "list", "-export", "-f", "{{.Export}}", "./keys")
	list.Dir = dir
	export, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	const keys = "example.com/m/keys"
	vet := func(name, out string, config unitchecker.Config, flags ...string) (v vetting) {
		t.Helper()
		config.ID, config.ImportPath = "example.com/m/"+name, "example.com/m/"+name
		config.Compiler, config.GoVersion = "gc", "go1.26"
		config.Dir = filepath.Join(dir, name)
		config.GoFiles = []string{filepath.Join(config.Dir, name+".go")}
		config.VetxOutput = filepath.Join(dir, out+".vetx")
		config.Stdout = filepath.Join(dir, out+".stdout")
		text, err := json.Marshal(config)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, out+".cfg")
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(commute, append(flags, file)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		cmd.Run()
		stdout, err := os.ReadFile(config.Stdout)
		if err != nil && cmd.ProcessState.Success() {
			t.Errorf("%s: %v", out, err)
		}
		kept, _ := os.ReadFile(config.VetxOutput)
		return vetting{cmd.ProcessState.ExitCode(), stderr.String(), string(stdout), len(kept)}
	}

	// What imports nothing is left to unitchecker, for others may need what that keeps of it.
	if v := vet("keys", "keys", unitchecker.Config{VetxOnly: true}, "-json"); v.code != 0 ||
		v.kept == 0 || v.stdout != "" {
		t.Errorf("the package that imports nothing: %+v", v)
	}
	imports := unitchecker.Config{
		ImportMap:   map[string]string{keys: keys, "C": "C"},
		PackageVetx: map[string]string{keys: filepath.Join(dir, "keys.vetx")},
	}
	for _, test := range []struct {
		name, flag string
		only       bool
		found      string // in what is written, or in what is said if there is an error
	}{
		{"wrong", "", false, "suggested_fixes"},
		{"wrong", "", true, ""},
		{"wrong", "-checkact", false, "{}"},
		{"acts", "", false, "{}"},
		{"acts", "-checkact", false, `"message": "Put depends on Get`},
		{"plain", "", false, "{}"},
		{"plain", "-checkact=true", false, "{}"},
		{"ill", "", false, "cannot use 1"},
		{"sick", "", false, "cannot use 1"},
		{"sick", "-checkact", false, "cannot use 1"},
		{"torn", "", false, "expected ')'"},
		{"torn", "-splitlock", false, "expected ')'"},
	} {
		var flags []string
		if test.flag != "" {
			flags = []string{test.flag}
		}
		imports.VetxOnly = test.only
		imports.PackageFile = nil
		slow := vet(test.name, "slow", imports, append(flags, "--json")...)
		if again := vet(test.name, "none", imports, append(flags, "-json")...); again != slow {
			t.Errorf("%+v: without export data it's %+v, want %+v", test, again, slow)
		}
		imports.PackageFile = map[string]string{keys: strings.TrimSpace(string(export))}
		quick := vet(test.name, "quick", imports, append(flags, "-json")...)
		if quick.kept != 0 || slow.code == 0 && slow.kept == 0 {
			t.Errorf("%+v: kept are %d bytes by the quick way and %d by the other: both are one",
				test, quick.kept, slow.kept)
		}
		quick.kept = slow.kept
		if quick != slow || !strings.Contains(quick.stdout+quick.stderr, test.found) {
			t.Errorf("%+v: got %+v, want %+v", test, quick, slow)
		}
	}
}
