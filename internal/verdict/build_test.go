// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// programsDir is where cmd/commute and the test binaries are.
var programsDir = sync.OnceValues(func() (string, error) {
	return os.MkdirTemp("", "commute-verdict")
})

// buildTool compiles cmd/commute once for all tests. Other tests of this module build the very same
// file, for what it has compiled is only good for an equal one.
var buildTool = sync.OnceValues(func() (string, error) {
	dir, err := programsDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "commute"+exe())
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "./cmd/commute")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New("go build ./cmd/commute: " + err.Error() + "\n" + string(out))
	}
	return path, nil
})

// commute is the path of cmd/commute.
func commute(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	path, err := buildTool()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// built are the test binaries, by port, module and flags. Those for a port are built one after the
// other, as two builds at once would compile the same packages.
var built struct {
	ports    sync.Map // locks, by the port's name
	binaries sync.Map // paths
}

// build compiles the tests of a module with the tool, once.
func build(t *testing.T, tool, module string, flags ...string) *Binary {
	t.Helper()
	return buildFor(t, port{}, tool, module, flags...)
}

// buildFor is build for a port, the zero port being this one.
func buildFor(t *testing.T, p port, tool, module string, flags ...string) *Binary {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("../../testdata", module))
	if err != nil {
		t.Fatal(err)
	}
	lock, _ := built.ports.LoadOrStore(p.name, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	key := fmt.Sprintf("%s %s %q", p.name, module, flags)
	if path, ok := built.binaries.Load(key); ok {
		return p.binary(path.(string), dir)
	}
	folder, err := os.MkdirTemp(filepath.Dir(tool), "tests-")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, filepath.Base(module)+".test"+exe())
	commandFor(t, p, dir, tool, append(append([]string{"test", "-c", "-o", path}, flags...),
		".")...)
	built.binaries.Store(key, path)
	return p.binary(path, dir)
}

// command runs a command that builds something, which has to succeed.
func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	commandFor(t, port{}, dir, name, args...)
}

// commandFor is command for a port.
func commandFor(t *testing.T, p port, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if p.name != "" {
		cmd.Env = append(os.Environ(), p.env()...)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// TestMain removes what was built.
func TestMain(m *testing.M) {
	longtest.AtOnce(4)
	longtest.Unvetted()
	code := m.Run()
	if dir, err := programsDir(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}
