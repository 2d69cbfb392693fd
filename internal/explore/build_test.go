// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// programs is the folder of the command and of the test binaries.
var programs = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "commute-") })

// tool builds the command once. Other tests of this module build the very same file, for what it
// has compiled is only good for an equal one.
var tool = sync.OnceValues(func() (string, error) {
	dir, err := programs()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "commute")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path,
		"github.com/commutego/commute/cmd/commute").CombinedOutput()
	os.Stderr.Write(out)
	return path, err
})

// TestMain removes what was built.
func TestMain(m *testing.M) {
	longtest.AtOnce(4)
	longtest.Unvetted()
	shrinkTime = 10 * time.Minute
	code := m.Run()
	if dir, err := programs(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// binaries are the test binaries, by folder and environment. They are built one after the other, as
// two builds at once would compile the same packages.
var binaries struct {
	sync.Mutex
	built map[string]string
}

// build compiles the tests of a module, by default one of testdata, once, so that schedules can be
// explored; env is for the build and the program. Findings of commute are suppressed: what fails,
// fails by itself.
func build(t *testing.T, module, pkg string, env ...string) *Binary {
	t.Helper()
	needExploring(t)
	path, err := tool()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(module, pkg)
	if !filepath.IsAbs(dir) {
		dir, err = filepath.Abs(filepath.Join("../../testdata", dir))
	}
	if err != nil {
		t.Fatal(err)
	}
	silent := filepath.Join(t.TempDir(), "silent")
	if err := os.WriteFile(silent, []byte("*\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	b := &Binary{Dir: dir, env: append(env, "COMMUTE=suppressions="+silent,
		toolexec.ExploreVariable+"=1")}
	binaries.Lock()
	defer binaries.Unlock()
	key := fmt.Sprintf("%s %q", dir, env)
	if b.Path = binaries.built[key]; b.Path != "" {
		return b
	}
	b.Path = filepath.Join(filepath.Dir(path), fmt.Sprintf("program%d.test", len(binaries.built)))
	cmd := exec.Command("go", "test", "-c", "-toolexec="+path+" toolexec", "-o", b.Path, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), b.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if binaries.built == nil {
		binaries.built = make(map[string]string)
	}
	binaries.built[key] = b.Path
	return b
}

// with is the binary with more in the environment of its processes.
func (b *Binary) with(env ...string) *Binary {
	other := *b
	other.env = slices.Concat(b.env, env)
	return &other
}
