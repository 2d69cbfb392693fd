// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lostUpdate is a program whose test fails by one forced switch. In place of the comments there may
// be more of it.
const lostUpdate = `package m

import (
	"os"
	"sync"
	"testing"
)

func TestLost(t *testing.T) {
	var mu sync.Mutex
	n := 0
	add := func() {
		mu.Lock()
		v := n
		if os.Getenv("RIGHT") == "" {
			mu.Unlock()
			mu.Lock()
		}
		n = v + 1
		mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(add)
	wg.Go(add)
	// before it waits
	wg.Wait()
	if n != 2 {
		t.Errorf("2 were added, and there are %d", n)
	}
}

// more functions
`

// A testModule is a module that a test writes, and in which it runs the command.
type testModule struct {
	t    *testing.T
	path string   // of the command
	dir  string   // of the module
	env  []string // besides that of the test
}

// newModule makes a module whose tests are a program. What is kept of runs is its own. It skips the
// test where schedules are not explored.
func newModule(t *testing.T, program string) *testModule {
	t.Helper()
	needExploring(t)
	path, err := tool()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	m := &testModule{t: t, path: path, dir: t.TempDir(), env: []string{
		"GOCACHE=" + strings.TrimSpace(string(cache)), "XDG_CACHE_HOME=" + t.TempDir()}}
	m.write("go.mod", "module example.com/m\n\ngo 1.25\n")
	m.write("m_test.go", program)
	return m
}

// write writes a file, and makes its folder.
func (m *testModule) write(name, text string) {
	m.t.Helper()
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

var lostByItself = regexp.MustCompile(`(?m)^--- FAIL: TestLost \(\d`)

// expect runs the command with arguments, and with one more environment variable. It expects an
// exit code and patterns in the output, or none of those after "not: ". It returns the output.
func (m *testModule) expect(code int, env, args string, want ...string) string {
	m.t.Helper()
	var cmd *exec.Cmd
	var out []byte
	// A run that nobody explores loses an update by itself, once in thousands.
	for try := 0; try == 0 || args == "test ." && try < 5 && lostByItself.Match(out); try++ {
		cmd = exec.Command(m.path, strings.Fields(args)...)
		cmd.Dir, cmd.Env = m.dir, append(append(os.Environ(), m.env...), env)
		var err error
		out, err = cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			m.t.Fatal(err)
		}
	}
	for _, w := range want {
		no, found := strings.CutPrefix(w, "not: ")
		if regexp.MustCompile("(?m)"+no).Match(out) == found {
			m.t.Errorf("commute %s: want %q", args, w)
		}
	}
	if got := cmd.ProcessState.ExitCode(); got != code || m.t.Failed() {
		m.t.Fatalf("commute %s: code %d, want %d\n%s", args, got, code, out)
	}
	return string(out)
}
