// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"bytes"
	"strings"
	"testing"
)

const leakHead = "WARNING: LEAKED GOROUTINE\n"

// TestLeaks runs programs that leave goroutines: which are told of, and what do they wait for?
func TestLeaks(t *testing.T) {
	t.Parallel()
	b := build(t, commute(t), "leaks")
	for test, waits := range map[string]string{
		"TestLeakSend":    "waits to send to a channel for ever",
		"TestLeakReceive": "waits to receive from a channel for ever",
		"TestLeakSelect":  "waits in a select for ever",
		"TestLeakNil":     "waits to send to a nil channel for ever",
		"TestLeakLock":    "waits for a lock for ever",
		"TestLeakGroup":   "waits for a sync.WaitGroup for ever",
		"TestLeakCond":    "waits for a sync.Cond for ever",

		"TestLeakSubtest": "waits to receive from a channel for ever",

		"TestLeakIgnored":     "",
		"TestNoLeakGlobal":    "",
		"TestNoLeakAsked":     "",
		"TestNoLeakFinalizer": "",
		"TestNoLeakWeak":      "",
		"TestNoLeakWoken":     "",
	} {
		out := b.run([]string{test})
		told := bytes.Count(out, []byte(leakHead)) == 1 &&
			bytes.Contains(out, []byte(waits)) &&
			bytes.Contains(out, []byte("leaks."+test+"()\n")) &&
			bytes.Contains(out, []byte("\nTest: "+test+"\n"))
		if waits == "" {
			told = !bytes.Contains(out, []byte(leakHead))
		}
		if !told || !bytes.Contains(out, []byte("\nPASS\n")) {
			t.Errorf("%s:\n%s", test, out)
		}
	}
	if out := b.run([]string{"TestLeakSend"}); !bytes.Contains(out, []byte("So does 1 more")) {
		t.Errorf("no number of goroutines:\n%s", out)
	}
	if out := b.run([]string{"TestLeakSubtest"}); bytes.Contains(out, []byte("So does")) {
		t.Errorf("the goroutine of package testing counts:\n%s", out)
	}
}

// TestLeaksAgain has TestMain run the tests twice: the second run leaks what the first has leaked,
// and doesn't fail by it.
func TestLeaksAgain(t *testing.T) {
	t.Parallel()
	b := build(t, commute(t), "leaks")
	b.Env = []string{"COMMUTE=leaks=fail", "LEAKS_RUNS=again"}
	out := string(b.run([]string{"TestLeakReceive"}))
	fail, pass := strings.Index(out, "\nFAIL\n"), strings.Index(out, "\nPASS\n")
	if fail < 0 || pass < fail || strings.Count(out, leakHead) != 1 {
		t.Errorf("two runs, one after the other:\n%s", out)
	}
}

// TestLeaksOption runs a test that leaks with each value of the option.
func TestLeaksOption(t *testing.T) {
	t.Parallel()
	b := build(t, commute(t), "leaks")
	const warned = "at 1 place (a warning; -leaks=fail makes it fail)\n"
	for _, c := range []struct {
		options string
		told    bool
		end     string
	}{
		{"", true, warned},
		{"leaks=off", false, "\nPASS\n"},
		{"leaks=warn", true, warned},
		{"leaks=warn halt_on_error=1", true, warned},
		{"leaks=fail", true, "\nFAIL\n"},
	} {
		b.Env = []string{"COMMUTE=" + c.options}
		out := string(b.run([]string{"TestLeakReceive"}))
		if strings.Contains(out, leakHead) != c.told || !strings.Contains(out, c.end) {
			t.Errorf("COMMUTE=%q:\n%s", c.options, out)
		}
	}
}
