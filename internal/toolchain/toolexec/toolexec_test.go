// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/enginetest"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

func goEnv(t testing.TB) *goenv.Env {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	env, err := goenv.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// compiler returns the path of the release's compiler.
func compiler(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "-n", "compile").Output()
	if err != nil {
		t.Skip(err)
	}
	return strings.TrimSpace(string(out))
}

// run runs a driver that has nothing to put in this process's place.
func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	d := &toolexec.Driver{Config: enginetest.Config(), Stdout: &out, Stderr: &errs}
	code = d.Run(args)
	return code, out.String(), errs.String()
}

func TestVersion(t *testing.T) {
	tool := compiler(t)
	code, stdout, stderr := run(tool, "-V=full")
	plain, err := exec.Command(tool, "-V=full").Output()
	if err != nil {
		t.Fatal(err)
	}
	key, ok := strings.CutPrefix(stdout, strings.TrimSpace(string(plain))+" commute-")
	if code != 0 || !ok || len(strings.TrimSpace(key)) != 24 || stderr != "" {
		t.Errorf("got %d, %q, %q", code, stdout, stderr)
	}
}

// TestVersionKeys has another version for each way in which packages are changed.
func TestVersionKeys(t *testing.T) {
	tool := compiler(t)
	t.Setenv("GOOS", "linux")
	version := func(memory string, flags ...string) string {
		t.Setenv("GOARCH", "amd64")
		t.Setenv(toolexec.MemoryVariable, memory)
		code, stdout, stderr := run(append(flags, tool, "-V=full")...)
		if code != 0 {
			t.Fatal(stderr)
		}
		_, key, _ := strings.Cut(strings.TrimSpace(stdout), " commute-")
		return key
	}
	plain := version("")
	keys := []string{
		plain,
		version("1", toolexec.Driven),
		version("", "-datarace"),
		version("", "-atomic", "bank.*"),
		version("", "--atomic=bank.*", "-atomic=exported"),
	}
	for i, key := range keys {
		if !strings.HasPrefix(key, plain) || strings.Contains(key, "-memory") != (i > 0) ||
			slices.Index(keys, key) != i {
			t.Errorf("keys %q", keys)
		}
	}
	for _, same := range [][2]string{
		{version("1"), plain}, // of a commute test around this one
		{version("", "-datarace=false"), plain},
		{version("", "-datarace", "-atomic=bank.*"), keys[3]},
	} {
		if same[0] != same[1] {
			t.Errorf("key %q, want %q", same[0], same[1])
		}
	}
	t.Setenv("GOARCH", "386")
	if code, _, stderr := run("-datarace", tool, "-V=full"); code != 2 ||
		!strings.Contains(stderr, "does not exist for linux/386") {
		t.Errorf("%d, %s", code, stderr)
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "commute: toolexec is for the go command"},
		{[]string{"-datarace"}, "commute: toolexec is for the go command"},
		{[]string{"-datraace", "/x/compile"},
			"commute: toolexec: unknown flag -datraace (did you mean -datarace?)"},
		{[]string{"-datarace=maybe", "/x/compile"},
			"commute: toolexec: invalid boolean value \"maybe\" for -datarace"},
		{[]string{"-atomic", "/x/compile"}, "commute: toolexec: flag needs an argument: -atomic"},
		{[]string{"-atomic", "F", "/x/compile"},
			"commute: toolexec: -atomic F: the name of a function begins with that of its package"},
		{[]string{"-atomic=exported:./...", "/x/compile"},
			"commute: toolexec: -atomic exported:./...: only commute test knows the packages"},
		{[]string{"/x/compile", "-o", "x.a", "-p", "m", "-race", "a.go"},
			"commute: -race and commute cannot watch one program at once"},
		{[]string{"/x/compile", "@/does/not/exist"}, "commute: reading response file: "},
		{[]string{"/does/not/exist/compile", "-V=full"}, "commute: "},
		{[]string{"/does/not/exist/link", "-V=full"}, "commute: "},
		{[]string{"/x/compile", "-o", "x.a", "-p", "m", "/does/not/exist.go"},
			"commute: open /does/not/exist.go: "},
		{[]string{"/x/compile", "-o", "x.a", "-p", "runtime", "-std", "-goversion", "go1.26.8",
			"/x/proc.go"}, "the package runtime of go1.26.8: it has no file race0.go"},
	} {
		code, stdout, stderr := run(test.args...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: got %d, %q, %q", test.args, code, stdout, stderr)
		}
	}
}

// TestWorkDirectory has an object directory that cannot be written to.
func TestWorkDirectory(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "a.go")
	text := "package a\n\nimport \"sync/atomic\"\n\nvar F = atomic.AddInt32\n"
	if err := os.WriteFile(src, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := run(compiler(t), "-o", filepath.Join(dir, "none", "x.a"), "-p", "a", src)
	if code != 2 ||
		!strings.Contains(stderr, "cannot write a changed source file to the go command's work "+
			"directory (see GOTMPDIR): ") {
		t.Errorf("got %d, %q", code, stderr)
	}
}

// TestDefect has a package that compiles by itself, but not with the changes: its
// importcfg lacks the twins that only a patched sync/atomic has.
func TestDefect(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", "sync/atomic").Output()
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	cfg := write("importcfg", "packagefile sync/atomic="+string(out))
	src := write("a.go", "package a\n\nimport \"sync/atomic\"\n\nvar F = atomic.AddInt32\n")
	code, _, stderr := run(compiler(t), "-o",
		filepath.Join(dir, "x.a"), "-p", "a", "-importcfg", cfg, src)
	for _, want := range []string{
		"commute: package a compiles on its own but not as commute changed it; this is a defect " +
			"of commute",
		"a.go:5:16: undefined: atomic.CommuteAddInt32",
	} {
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("got %d, %q, want %q", code, stderr, want)
		}
	}
}

func TestValidate(t *testing.T) {
	env := goEnv(t)
	if notice, err := toolexec.Validate(env, enginetest.Config(), ""); err != nil || notice != "" {
		t.Error(notice, err)
	}
	later := *env
	later.GOVERSION = "go1.99.0"
	if notice, err := toolexec.Validate(&later, enginetest.Config(), ""); err == nil &&
		!strings.Contains(notice, "go1.99.0 is not among") ||
		// if the go command is older than the newest known
		err != nil && !strings.Contains(err.Error(), "this commute does not know go1.99.0") {
		t.Error(notice, err)
	}
	other := *env
	other.GOROOT = t.TempDir()
	if _, err := toolexec.Validate(&other, enginetest.Config(), ""); err == nil ||
		!strings.Contains(err.Error(), "not in GOROOT") {
		t.Errorf("error %v", err)
	}
	other.GOVERSION = "go1.20"
	if _, err := toolexec.Validate(&other, enginetest.Config(), ""); err == nil ||
		!strings.Contains(err.Error(), "found go1.20") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkValidate(b *testing.B) {
	env := goEnv(b)
	for name, keep := range map[string]string{"anew": "", "kept": b.TempDir()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := toolexec.Validate(env, enginetest.Config(), keep); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
