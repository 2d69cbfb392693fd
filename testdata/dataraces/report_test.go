// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var number64 int64

//go:noinline
func writeNumber() { number64 = 1 }

//go:noinline
func readNumber() int64 { return number64 }

// readInlined is inlined, and stands in a stack all the same.
func readInlined() int64 {
	if n := number64; n > 0 {
		return n
	}
	return 0
}

//go:noinline
func callRead() { keep(readNumber()) }

//go:noinline
func callInlined() { keep(readInlined()) }

//go:noinline
func readAfterRecover() {
	recovered(func() { descend(20, failing["Panic"]) })
	callRead()
}

//go:noinline
func readAfterRecovers() {
	for range 50 {
		recovered(failing["Index"])
		recovered(failing["Twice"])
	}
	callRead()
}

//go:noinline
func readInDefer() {
	defer callRead()
	keep(1)
}

//go:noinline
func readAfterYield() {
	for range func(yield func(int) bool) { _ = yield(1) && yield(2) } {
		keep(1)
	}
	callRead()
}

//go:noinline
func readWhilePanicking() {
	defer func() { keep(recover()) }()
	defer callRead()
	panic(errOwn)
}

//go:noinline
func copyNumber(to *[3]int64) { copy(to[:], number64s[:]) }

var number64s [3]int64

//go:noinline
func writeNumbers() { number64s[1] = 1 }

func (p *pairOf[K, V]) readNumber() { callRead() }

var record *[4]int64

// TestRaceHome has a race in memory that a function of its own has allocated.
func TestRaceHome(t *testing.T) {
	newRecord()
	apart(func() { record[2] = 1 }, func() { keep(record[2]) })
}

//go:noinline
func newRecord() { record = new([4]int64) }

var left int64

// TestLeft leaves a goroutine behind that makes a race when all tests are over, if it has time to: it is not judged by
// its result.
func TestLeft(t *testing.T) {
	if os.Getenv("COMMUTE_DATARACES_LEFT") == "" {
		t.Skip("COMMUTE_DATARACES_LEFT is not set")
	}
	left = 1
	done := make(chan bool)
	go func() {
		close(done)
		time.Sleep(200 * time.Millisecond) // longer than the rest of the process takes
		left = 2
	}()
	<-done
	left = 3
}

// TestNoRaceParallel has tests that take turns, of which package testing prints something.
func TestNoRaceParallel(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			t.Log(i)
		})
	}
}

// reports are what the stacks of an access must begin with, the innermost frame first; the other is the one that
// number 1 has.
var reports = []struct {
	name   string
	write  func()
	access func()
	first  []string
	second []string
}{
	{"Plain", writeNumber, callRead,
		[]string{"writeNumber"}, []string{"readNumber", "callRead"}},
	{"Inlined", writeNumber, callInlined,
		[]string{"writeNumber"}, []string{"readInlined", "callInlined"}},
	{"Deep", func() { descend(3, writeNumber) }, func() { descend(2, callRead) },
		[]string{"writeNumber", "descend", "descend", "descend", "descend"},
		[]string{"readNumber", "callRead", "descend", "descend", "descend"}},
	{"Recovered", writeNumber, readAfterRecover,
		[]string{"writeNumber"}, []string{"readNumber", "callRead", "readAfterRecover"}},
	{"RecoveredOften", writeNumber, readAfterRecovers,
		[]string{"writeNumber"}, []string{"readNumber", "callRead", "readAfterRecovers"}},
	{"RecoveredBefore", func() { readAfterRecover(); writeNumber() }, callRead,
		[]string{"writeNumber"}, []string{"readNumber", "callRead"}},
	{"Deferred", writeNumber, readInDefer,
		[]string{"writeNumber"}, []string{"readNumber", "callRead"}},
	{"Panicking", writeNumber, readWhilePanicking,
		[]string{"writeNumber"}, []string{"readNumber", "callRead"}},
	{"RangeFunc", writeNumber, readAfterYield,
		[]string{"writeNumber"}, []string{"readNumber", "callRead", "readAfterYield"}},
	{"Generic", writeNumber, new(pairOf[int, string]).readNumber,
		[]string{"writeNumber"}, []string{"readNumber", "callRead", "(*pairOf[...]).readNumber"}},
	{"Copy", writeNumbers, func() { copyNumber(new([3]int64)) },
		[]string{"writeNumbers"}, []string{"copyNumber"}},
}

func TestRaceReport(t *testing.T) {
	for _, r := range reports {
		t.Run(r.name, func(*testing.T) { apart(r.write, r.access) })
	}
}

// TestNoRaceReportedStacks looks at what a detector, if there is one, prints for the tests above: that the stacks are right.
// What called a deferred function is left open, and so is how type arguments are written.
func TestNoRaceReportedStacks(t *testing.T) {
	for _, r := range reports {
		t.Run(r.name, func(t *testing.T) {
			out, err := self("-test.run=^TestRaceReport$/^" + r.name + "$").CombinedOutput()
			if err == nil {
				t.Skip("no report")
			}
			second, first := stacks(out)
			for _, problem := range []string{compare("first", first, r.first), compare("second", second, r.second)} {
				if problem != "" {
					t.Errorf("%s\n%s", problem, out)
				}
			}
		})
	}
}

var (
	accessPart   = regexp.MustCompile(`(?m)^(?:Previous )?(?i:read|write) at .*:\n((?:  .*\n)+)`)
	functionLine = regexp.MustCompile(`(?m)^  (?:\S*/)?(\S+)\(\)$`)

	typeArguments = regexp.MustCompile(`\[.*\]`)
)

// stacks are the functions of a report's two stacks: the later access's and the earlier's.
func stacks(out []byte) (second, first []string) {
	_, report, _ := bytes.Cut(out, []byte("WARNING: DATA RACE\n"))
	parts := accessPart.FindAllSubmatch(report, 2)
	if len(parts) < 2 {
		return nil, nil
	}
	functions := func(part []byte) (names []string) {
		for _, m := range functionLine.FindAllSubmatch(part, -1) {
			name := strings.TrimPrefix(string(m[1]), "dataraces.")
			names = append(names, typeArguments.ReplaceAllString(name, "[...]"))
		}
		return names
	}
	return functions(parts[0][1]), functions(parts[1][1])
}

// compare wants a stack to begin with some frames, those of package runtime left out.
func compare(which string, stack, want []string) string {
	stack = slices.DeleteFunc(slices.Clone(stack), func(f string) bool { return strings.HasPrefix(f, "runtime.") })
	if len(stack) < len(want) || !slices.Equal(stack[:len(want)], want) {
		return fmt.Sprintf("%s access: stack %q, want %q at its beginning", which, stack, want)
	}
	return ""
}
