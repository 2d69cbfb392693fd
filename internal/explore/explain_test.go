// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"strings"
	"testing"
)

// TestExplain has output of Go's own runtime.
func TestExplain(t *testing.T) {
	const hang = "panic: test timed out after 10m0s\n\trunning tests:\n\t\tTestX (10m0s)\n\n" +
		"goroutine 21 [running]:\ntesting.(*M).startAlarm.func1()\n\t/go/src/testing/testing.go:2683 " +
		"+0x345\ncreated by time.goFunc\n\t/go/src/time/sleep.go:215 +0x2d\n\n" +
		"goroutine 1 [chan receive]:\ntesting.(*T).Run(0x1, {0x2, 0x3})\n\t/go/src/testing/testing.go:" +
		"2101 +0x4b\nmain.main()\n\t_testmain.go:131 +0x9b\n\n" +
		"goroutine 7 [sync.WaitGroup.Wait, 3 minutes]:\nsync.(*WaitGroup).Wait(0x1)\n\t/go/src/sync/" +
		"waitgroup.go:206 +0x85\nm.together()\n\t/home/me/m/helpers_test.go:32 +0x9b\n" +
		"m.TestX(0x1)\n\t/home/me/m/x_test.go:5 +0x1\ncreated by testing.(*T).Run in goroutine 1\n\t" +
		"/go/src/testing/testing.go:2101 +0x4b\n\n" +
		"goroutine 8 [sync.Cond.Wait]:\nsync.(*Cond).Wait(0x1)\n\t/go/src/sync/cond.go:71 +0x85\n" +
		"m.f()\n\t/home/me/m/x_test.go:9 +0x1\ncreated by m.TestX in goroutine 7\n\t" +
		"/home/me/m/x_test.go:4 +0x1\n"
	const cond = "a Cond wakes who waits already: "
	for _, c := range []struct{ out, want string }{
		{"ok\npanic: close of closed channel\n\ngoroutine 7 [running]:\n", "a channel is closed twice: "},
		{"panic: close of closed channel [recovered, repanicked]\n", "a channel is closed twice: "},
		{"panic: send on closed channel\n", "a goroutine sends to a channel that was closed before: "},
		{"panic: sync: negative WaitGroup counter\n", "Done was called more often than Add "},
		{"fatal error: concurrent map writes\n", "two goroutines write a map at once"},
		{"panic: runtime error: index out of range [1] with length 1\n", ""},
		{"    x_test.go:7: panic: close of closed channel\n", ""},
		{"--- FAIL: TestX (0.00s)\n", ""},
		{hang, "goroutine 7 waits for a sync.WaitGroup at helpers_test.go:32, goroutine 8 waits for a " +
			"sync.Cond at x_test.go:9\n" + cond},
		{"text\nfatal error: all goroutines are asleep - deadlock!\n" + strings.ReplaceAll(hang,
			"sync.Cond.Wait", "sync.Mutex.Lock")[40:], "goroutine 7 waits for a sync.WaitGroup at " +
			"helpers_test.go:32, goroutine 8 waits for a lock at x_test.go:9"},
	} {
		got := strings.Join(explain([]byte(c.out)), "\n")
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q:\ngot  %s\nwant %s", c.out, got, c.want)
		}
	}
}

// TestExplained explores programs that Go's runtime ends. What each prints says what is wrong.
func TestExplained(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	for name, want := range map[string]string{
		"TestWrongDoubleClose": "a channel is closed twice: ",
		"TestWrongSendClosed":  "a goroutine sends to a channel that was closed before: ",
		"TestWrongLostWakeup":  "waits for a sync.Cond at waits_test.go:",
		"TestWrongLockOrder":   "waits for a lock at locks_test.go:",
		"TestWrongDropped":     "waits to receive from a channel at waits_test.go:",
		"TestWrongReadTwice":   "waits for a lock, to ",
	} {
		r, err := Explore(b, limits, name)
		if err != nil {
			t.Fatal(err)
		}
		if r.Failure == nil {
			t.Errorf("%s does not fail", name)
			continue
		}
		if got := strings.Join(r.Failure.advice(name, limits), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: got\n%s\nwant %q in it; the output is\n%s", name, got, want, r.Failure.Output)
		}
	}
}
