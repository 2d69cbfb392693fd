// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/longtest"
)

// places is how many functions make one of two calls that race; each with each is a finding.
const places = 100

// longName is a name of that many letters.
func longName(n int) string { return strings.Repeat("longer", n/6+1)[:n] }

// reporter writes a module with a long path and a long file name, whose program finds what its
// argument says, and builds it.
func reporter(t *testing.T) (program string) {
	tool := commute(t)
	dir := t.TempDir()
	module := "example.com/" + strings.TrimSuffix(strings.Repeat(longName(46)+"/", 4), "/")
	var calls strings.Builder
	calls.WriteString("package main\n\nimport \"sync\"\n\n")
	for _, name := range []string{"first", "second"} {
		fmt.Fprintf(&calls, "var %s = [...]func(m *sync.Map){\n", name)
		for i := range places {
			fmt.Fprintf(&calls, "\tfunc(m *sync.Map) { m.Store(\"k\", \"%s %d\") },\n", name, i)
		}
		calls.WriteString("}\n\n")
	}
	for name, text := range map[string]string{
		"go.mod":              "module " + module + "\n\ngo 1.26\n",
		"main.go":             reporterMain,
		longName(200) + ".go": calls.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program = filepath.Join(dir, "program"+exe())
	command(t, dir, tool, "build", "-datarace", "-o", program, ".")
	return program
}

const reporterMain = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

var (
	m       sync.Map
	maps    [len(first) * len(second)]sync.Map
	shared  int
	counter int
	mu      sync.Mutex
)

//go:noinline
func outermost(n int, f func()) { recurse(n, f) }

//go:noinline
func recurse(n int, f func()) {
	if n == 0 {
		f()
	} else {
		recurse(n-1, f)
	}
	runtime.KeepAlive(n)
}

// written forces an interleaving without an edge: no detector sees its accesses.
var written bool

//go:norace
//go:noinline
func raise() { written = true }

//go:norace
//go:noinline
func raised() bool { return written }

// together runs two functions at the end of deep stacks, with no order between them.
func together(f, g func()) {
	var wg sync.WaitGroup
	for _, f := range []func(){f, g} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			outermost(10000, f)
		}()
	}
	wg.Wait()
}

//atomic
func add(between, after chan bool) {
	mu.Lock()
	c := counter
	mu.Unlock()
	if between != nil {
		between <- true
		<-after
	}
	mu.Lock()
	counter = c + 1
	mu.Unlock()
}

func many(n int) {
	var wg sync.WaitGroup
	for i := range first {
		for j := range second {
			if i*len(second)+j >= n {
				break
			}
			at := &maps[i*len(second)+j]
			wg.Add(2)
			go func() { defer wg.Done(); first[i](at) }()
			go func() { defer wg.Done(); second[j](at) }()
		}
	}
	wg.Wait()
}

type large struct {
	a [64]string
	b [64][64]string
}

func main() {
	switch os.Args[1] {
	case "calls":
		together(func() { m.Store("k", 1) }, func() { m.Store("k", 2) })
	case "accesses":
		// At one instant, the two could miss each other.
		together(func() { shared = 1; raise() }, func() {
			for !raised() {
				runtime.Gosched()
			}
			shared = 2
		})
	case "atomic":
		between, after := make(chan bool), make(chan bool)
		together(func() { add(between, after) }, func() {
			<-between
			add(nil, nil)
			after <- true
		})
	case "start":
		outermost(10000, func() {
			together(func() { m.Store("k", 1) }, func() { m.Store("k", 2) })
		})
	case "walks": // of 32 million frames
		at := new(sync.Map)
		for depth := range 8000 {
			outermost(depth, func() { at.Store(depth, depth) })
		}
		together(func() { m.Store("k", 1) }, func() { m.Store("k", 2) })
	case "many":
		many(len(maps))
	case "values":
		key := strings.Repeat("key ", 1<<18)
		var l large
		for i := range l.b {
			for j := range l.b[i] {
				l.b[i][j] = key
			}
		}
		together(func() { m.Store(key, l) }, func() { m.Store(key, strings.Repeat("v", 1<<20)) })
	case "leave":
		many(1)
		if len(os.Args) > 2 {
			fmt.Println(syscall.Exec(os.Args[2], os.Args[2:], nil))
		}
		syscall.Exit(5)
	case "halt":
		many(1)
		fmt.Println("later")
		many(len(maps))
	case "pipe":
		many(1000)
		runtime.GC()
		beat := make(chan int)
		go func() {
			for i := range 1000 {
				beat <- i
			}
			close(beat)
		}()
		for range beat {
		}
		many(1100) // and a hundred more
		runtime.GC()
		fmt.Println("done")
		if len(os.Args) > 2 {
			panic("own message")
		}
	}
}
`

// output runs the program with arguments, and returns what it wrote to stderr. It has found
// something, so its status is 66.
func output(t *testing.T, program, options string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "COMMUTE="+options)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 66 {
		t.Fatalf("%q: %v, want exit status 66\n%.3000s", args, err, stderr.String())
	}
	return stderr.String()
}

// TestReportsOfAnySize has a program whose reports are as long as reports can be.
func TestReportsOfAnySize(t *testing.T) {
	longtest.Same(t)
	program := reporter(t)
	t.Run("deep", func(t *testing.T) {
		for mode, stacks := range map[string]int{"calls": 2, "accesses": 2, "atomic": 4,
			"start": 4} {
			out := output(t, program, "", mode)
			elision := regexp.MustCompile(`\n  \.\.\.99\d\d frames elided\.\.\.\n`)
			elided := elision.FindAllString(out, -1)
			if len(elided) < stacks || strings.Count(out, "main.outermost()\n") < len(elided) {
				t.Errorf("%s: %d of at least %d stacks are shown by their ends, %d with the "+
					"outermost calls\n%.3000s", mode,
					len(elided), stacks, strings.Count(out, "main.outermost()\n"), out)
			}
			if n := strings.Count(out, "==================\n"); n%2 != 0 || n == 0 {
				t.Errorf("%s: a report has no end", mode)
			}
		}
	})
	t.Run("walks", func(t *testing.T) { // calls at each depth don't take the square of it
		out := output(t, program, "", "walks")
		if strings.Count(out, reportLine) != 1 || strings.Contains(out, "main.outermost()\n") ||
			strings.Count(out, "\n  ...additional frames elided...\n") != 2 {
			t.Errorf("two stacks should end with what was walked first:\n%.9000s", out)
		}
	})
	t.Run("many", func(t *testing.T) {
		out := output(t, program, "", "many")
		const n = places * places
		if got := strings.Count(out, reportLine); got != n {
			t.Errorf("%d reports, want %d", got, n)
		}
		_, summary, _ := strings.Cut(out, fmt.Sprintf("commute: found %d commutativity races\n", n))
		if got := strings.Count(summary, "lost update, 1 time\n"); got != n {
			t.Errorf("%d lines in the summary, want %d", got, n)
		}
	})
	t.Run("values", func(t *testing.T) {
		out := output(t, program, "", "values")
		key := `"` + strings.Repeat("key ", 10) + `"..."` + strings.Repeat("key ", 6) +
			`" (1,048,576 bytes)`
		if !strings.Contains(out, `(key: `+key+`, value: `) || strings.Count(out, reportLine) != 1 {
			t.Errorf("the report is not as it should be:\n%.3000s", out)
		}
	})
	t.Run("rules", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "rules")
		rules := strings.Repeat(strings.Repeat("longer*", 40)+"nowhere\n", 300) +
			"main.outermost$\n"
		if err := os.WriteFile(file, []byte(rules), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "calls")
		cmd.Env = append(os.Environ(), "COMMUTE=suppressions="+file)
		out, err := cmd.CombinedOutput()
		if n := strings.Count(string(out), "nowhere is unused\n"); err != nil || n != 300 ||
			strings.Contains(string(out), "WARNING") {
			t.Errorf("%v, and %d unused rules:\n%.3000s", err, n, out)
		}
	})
	t.Run("halt", func(t *testing.T) {
		for _, procs := range []string{"1", "4"} {
			cmd := exec.Command(program, "halt")
			cmd.Env = append(os.Environ(), "COMMUTE=halt_on_error=1", "GOMAXPROCS="+procs)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 66 || strings.Count(string(out), reportLine) != 1 ||
				strings.Contains(string(out), "later") ||
				!strings.Contains(string(out), "commute: found 1 commutativity race\n") {
				t.Errorf("GOMAXPROCS=%s: %v, want exit status 66 after one report:\n%.3000s", procs,
					err, out)
			}
		}
	})
	t.Run("leave", func(t *testing.T) {
		args := [][]string{{"leave"}}
		if echo, err := exec.LookPath("echo"); err == nil && runtime.GOOS != "windows" {
			args = append(args, []string{"leave", echo, "replaced"})
		}
		for i, args := range args {
			for range 20 {
				cmd := exec.Command(program, args...)
				out, _ := cmd.CombinedOutput()
				if strings.Count(string(out), reportLine) != 1 ||
					cmd.ProcessState.ExitCode() != [...]int{5, 0}[i] ||
					strings.HasSuffix(string(out), "replaced\n") != (i == 1) {
					t.Fatalf("%q: exit status %d:\n%.3000s", args, cmd.ProcessState.ExitCode(), out)
				}
			}
		}
	})
	t.Run("unwritten", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("needs /dev/full")
		}
		unwritten(t, program)
	})
}

// unwritten doesn't read what is written: the program goes on, and ends as it would.
func unwritten(t *testing.T, program string) {
	for _, args := range [][]string{{"pipe"}, {"pipe", "panic"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, args...)
		cmd.Stderr = w
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		stuck := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		if line != "done\n" {
			t.Errorf("%q: the program doesn't come to its end: %q", args, line)
		}
		want := 66
		if len(args) > 1 { // what it says itself waits for a reader, as it does without commute
			want = 2
			go func() { _, _ = bufio.NewReader(r).WriteTo(&bytes.Buffer{}) }()
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != want {
			t.Errorf("%q: %v, want status %d", args, err, want)
		}
		stuck.Stop()
		_ = r.Close()
	}
	for script, says := range map[string]string{
		`exec "$0" calls 2>&-`:        "",
		`exec "$0" calls >&- 2>&-`:    "",
		`exec "$0" calls 2>/dev/full`: "",
		`ln -s /dev/full log.$$; COMMUTE=log_path=log exec "$0" calls`: `^commute: 1 report and ` +
			`the summary could not be written to log\.\d+ \(is the disk full\?\)\n$`,
	} {
		cmd := exec.Command("sh", "-c", script, program)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 66 || says == "" && len(out) > 0 ||
			!regexp.MustCompile(says).Match(out) {
			t.Errorf("%s: %v\n%.3000s", script, err, out)
		}
	}
}
