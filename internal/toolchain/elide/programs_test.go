// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkVariable is set where the tests are run as the tool of a go command, to the root of a
// release, or to ask for TestOnPrograms.
const checkVariable = "COMMUTE_TEST_ELIDE"

// asked are the names to which calls go that would be left out, in place of a hook's.
var asked = map[callee]string{
	hookRead: "runtime.msanread", hookWrite: "runtime.msanwrite",
	hookReadRange: "runtime.asanread", hookWriteRange: "runtime.asanwrite",
}

func TestMain(m *testing.M) {
	if root := os.Getenv(checkVariable); filepath.IsAbs(root) && len(os.Args) > 2 {
		os.Exit(tool(root, os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

// tool runs a tool. In what it compiles, calls that would be left out go to other functions.
func tool(root, name string, args []string) int {
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return 1
	}
	out := slices.Index(args, "-o")
	if filepath.Base(name) == "compile" && out >= 0 && slices.Contains(args, "-race") {
		if err := redirect(root, args[out+1]); err != nil {
			println("elide:", name, err.Error())
			return 1
		}
	}
	return 0
}

// redirect has the calls of an object that would be left out go to functions that check them.
func redirect(root, name string) error {
	list, err := os.ReadFile(filepath.Join(root, "src/cmd/internal/goobj/builtinlist.go"))
	if err != nil {
		return err
	}
	callees, err := builtinCallees(string(list))
	if err != nil {
		return err
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	_, places, err := repeats(file, callees)
	if err != nil {
		return err
	}
	names := regexp.MustCompile(`\{"(runtime\.\w+)", \d\}`).FindAllStringSubmatch(string(list), -1)
	o, err := findObject(file)
	if err != nil {
		return err
	}
	functions, err := o.functions()
	if err != nil {
		return err
	}
	for _, f := range functions {
		for r := f.record; len(r) > 0; r = r[relocSize:] {
			at := f.start + int(order.Uint32(r)) - 1
			if !slices.Contains(places, at) || order.Uint16(r[5:]) != relocCall {
				continue
			}
			to := asked[callees[symbolAt(r[15:])]]
			order.PutUint32(r[19:], uint32(slices.IndexFunc(names, func(n []string) bool {
				return n[1] == to
			})))
		}
	}
	return os.WriteFile(name, file, 0o666)
}

// TestOnPrograms runs tests and benchmarks of the standard library in which calls that would be
// left out are checked: they must repeat what the goroutine has announced. It compiles the library
// anew, so it has to be asked for.
func TestOnPrograms(t *testing.T) {
	if os.Getenv(checkVariable) == "" {
		t.Skipf("%s is not set", checkVariable)
	}
	root, dir := goroot(t), t.TempDir()
	overlay := overlaid(t, root, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"), "CGO_ENABLED=0",
		"GOFLAGS=", checkVariable+"="+root)
	for _, p := range []struct{ path, bench string }{
		{"sort", "^BenchmarkSortInt64K$"},
		{"sort", "^BenchmarkSortStructs$"},
		{"compress/flate", "Encode/Newton/Default/1e5"},
		{"compress/flate", "Decode/Newton/Default/1e5"},
		{"encoding/json", "^BenchmarkCodeDecoder$"},
		{"encoding/json", "^BenchmarkCodeUnmarshal$"},
		{"go/parser", "^BenchmarkParse$"},
	} {
		binary := filepath.Join(dir, filepath.Base(p.path)+".test")
		if _, err := os.Stat(binary); err != nil {
			build := exec.Command("go", "test", "-c", "-vet=off", "-toolexec="+self,
				"-overlay="+overlay, "-o", binary,
				"-gcflags=-race -d=checkptr=0", "-gcflags=slices=-race -d=checkptr=0", p.path)
			build.Env, build.Dir = env, dir
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", p.path, err, out)
			}
		}
		for _, args := range [][]string{{"-test.short"}, {"-test.run=^$", "-test.bench=" + p.bench,
			"-test.benchtime=2x"}} {
			run := exec.Command(binary, args...)
			run.Dir = filepath.Join(root, "src", p.path)
			out, err := run.CombinedOutput()
			text := string(out)
			if at := strings.Index(text, "elide:"); at >= 0 {
				text = text[at:]
			}
			text, _, _ = strings.Cut(text, "\n")
			t.Logf("%s %s: %s", p.path, args[len(args)-1], text)
			if err != nil || !strings.HasSuffix(text, " repeated") {
				t.Errorf("%s: %v\n%s", p.path, err, out)
			}
		}
	}
}

// overlaid writes files that take the place of some of package runtime's, and returns the path of
// what the go command has to know of them.
func overlaid(t *testing.T, root, dir string) string {
	t.Helper()
	hooks, err := filepath.Abs("testdata/elide.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{filepath.Join(root, "src/runtime/elide.go"): hooks}
	for _, c := range []struct{ file, old, new string }{
		{"proc.go", `func os_beforeExit\(exitCode int\) \{\n`, "${0}\telide_end()\n"},
		{"msan0.go", `(?m)^func msan(read|write)(\(.*\)) +\{.*$`,
			"//go:nosplit\nfunc msan$1$2 { elide_$1(uintptr(addr), 1) }"},
		{"asan0.go", `(?m)^func asan(read|write)(\(.*\)) +\{.*$`,
			"//go:nosplit\nfunc asan$1$2 { elide_$1(uintptr(addr), sz) }"},
	} {
		name := filepath.Join(root, "src/runtime", c.file)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		changed := regexp.MustCompile(c.old).ReplaceAll(text, []byte(c.new))
		if len(changed) == len(text) {
			t.Fatalf("%s has no %s", name, c.old)
		}
		replace[name] = filepath.Join(dir, c.file)
		if err := os.WriteFile(replace[name], changed, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay
}
