// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package version

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLine(t *testing.T) {
	tests := []struct{ line, out, goVersion, err string }{
		{"compile version go1.26.8\n", "compile version go1.26.8 commute-K", "go1.26.8", ""},
		{"compile version go1.26.8 X:jsonv2", "compile version go1.26.8 X:jsonv2 commute-K",
			"go1.26.8", ""},
		// The last field has to stay buildID=; what counts is what follows its last slash.
		{
			"compile version go1.26-devel_1a2b Sat Nov 1 buildID=a/b/c/d",
			"compile version go1.26-devel_1a2b Sat Nov 1 buildID=a/b/c/d+commute-K",
			"go1.26-devel_1a2b", "",
		},
		{"compile version devel +1a2b", "", "", "has no buildID"},
		{"compile", "", "", "cannot read the compiler's version"},
		{"", "", "", "cannot read the compiler's version"},
	}
	for _, test := range tests {
		out, goVersion, err := Line(test.line, "K")
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("Line(%q): error %v, want %q", test.line, err, test.err)
			}
			continue
		}
		if err != nil || out != test.out || goVersion != test.goVersion {
			t.Errorf("Line(%q) = %q, %q, %v", test.line, out, goVersion, err)
		}
	}
}

func TestKey(t *testing.T) {
	key := func(files fstest.MapFS) string {
		t.Helper()
		k, err := Key(files)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	a := key(fstest.MapFS{"a.go": {Data: []byte("x")}})
	if again := key(fstest.MapFS{"a.go": {Data: []byte("x")}}); again != a {
		t.Errorf("the key changes by itself: %s, %s", a, again)
	}
	for _, other := range []fstest.MapFS{
		{"a.go": {Data: []byte("y")}},
		{"b.go": {Data: []byte("x")}},
		{},
	} {
		if key(other) == a {
			t.Errorf("%v has the key of another engine", other)
		}
	}
	if strings.ContainsAny(a, "/ ") {
		t.Errorf("key %q has a separator of build IDs", a)
	}
}

// TestBuildID reads the build IDs of programs as the go command does, and takes no other tool's.
func TestBuildID(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	seen := make(map[string]bool)
	for _, path := range []string{self, filepath.Join(strings.TrimSpace(string(root)), "bin", "go")} {
		if runtime.GOOS == "windows" && path != self {
			path += ".exe"
		}
		out, err := exec.Command("go", "tool", "buildid", path).Output()
		if err != nil {
			t.Skip(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		id, want := buildID(f), strings.TrimSpace(string(out))
		if !wholeID.MatchString(want) {
			want = ""
		}
		if id != want || seen[id] || path == self && id == "" {
			t.Errorf("%s: %q, want %q", path, id, want)
		}
		seen[id] = true
	}
	const id = "o23vgd8o32N23pwfYGSi/T88Xwgv1cREZ504Bci47/z1Jmx0oLaNwzfoxKCNBl/-fkI3hQiUbXJCxzeaZe_"
	for program, want := range map[string]string{
		"MZ\xff Go build ID: \"" + id + "\"\n \xffcode":   id,
		"MZ\xff Go build ID: \"" + id + "x\"\n \xffcode":  "",
		"MZ\xff Go build ID: \"redacted\"\n \xffcode":     "",
		"MZ\xff Go build ID: \"\"\n \xffcode":             "",
		"MZ\xff Go build ID: \"" + id:                     id,
		"MZ\xff Go build ID: \"" + id[:len(id)-1]:         "",
		"\x7fELF\xff Go build ID: \"" + id[:40] + "\"\n ": "",
		"": "",
	} {
		if got := buildID(strings.NewReader(program)); got != want {
			t.Errorf("%q: %q, want %q", program, got, want)
		}
	}
}
