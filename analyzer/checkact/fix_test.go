// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestFixes compares what the fixes make of the source with what they should.
func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(fixesOnly{t}, analysistest.TestData(), Analyzer, "fixes")
}

// fixesOnly looks at what is fixed, not at what is reported: a comment that says what is wanted
// would stand in the way of some fixes.
type fixesOnly struct{ *testing.T }

func (t fixesOnly) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, ": unexpected diagnostic: ") {
		t.T.Helper()
		t.Error(text)
	}
}

// transcript calls the functions of package fixes in a random order, by one goroutine, and prints
// what they return and what is in the map then.
const transcript = `package fixes

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

func call(f func(m *sync.Map, k, n int) any, m *sync.Map, k, n int) (r any) {
	defer func() {
		if recover() != nil {
			r = "panic"
		}
	}()
	return f(m, k, n)
}

func TestTranscript(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := []any{1, 2, 3, "x", 1.5, nil, []int{1}}
	for range 20000 {
		m := new(sync.Map)
		for k := range random.IntN(4) {
			v := values[random.IntN(len(values))]
			if random.IntN(2) == 0 {
				v = random.IntN(4)
			}
			m.Store(k, v)
		}
		i, k, n := random.IntN(len(Functions)), random.IntN(4), random.IntN(4)
		r := call(Functions[i], m, k, n)
		all := make(map[any]string)
		m.Range(func(k, v any) bool {
			if o, ok := v.(*object); ok && o != nil {
				v = *o
			}
			all[k] = fmt.Sprintf("%T %[1]v", v)
			return true
		})
		if r == "panic" {
			clear(all) // what came before is by the order of Range
		}
		fmt.Println(i, k, n, r, all)
	}
}
`

// TestFixedBehaves runs the functions before and after the fixes: they compile, and one goroutine
// sees no difference.
func TestFixedBehaves(t *testing.T) {
	outputs := make(map[string]string)
	for _, name := range []string{"fixes.go", "fixes.go.golden"} {
		source, err := os.ReadFile(filepath.Join("testdata", "src", "fixes", name))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for file, text := range map[string]string{"go.mod": "module fixes\n\ngo 1.26\n",
			"fixes.go": string(source), "transcript_test.go": transcript} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("go", "test", "-vet=off", "-run", "Transcript", "-v", ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		outputs[name] = strip(string(out))
	}
	before := strings.Split(outputs["fixes.go"], "\n")
	after := strings.Split(outputs["fixes.go.golden"], "\n")
	if len(before) < 20000 || len(after) != len(before) {
		t.Fatalf("%d and %d lines", len(before), len(after))
	}
	for i := range before {
		if before[i] != after[i] {
			t.Fatalf("the fixes change what a goroutine sees alone:\n%s\n%s", before[i], after[i])
		}
	}
}

// strip leaves out the lines of package testing, which have times.
func strip(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if line[0] >= '0' && line[0] <= '9' {
			b.WriteString(line)
		}
	}
	return b.String()
}
