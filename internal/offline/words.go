// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/report"
)

// words are what the library's functions are called; of several that fit a name, the first.
var words = []struct{ function, word string }{
	{"sync.(*RWMutex).RLock", "read lock"}, {"sync.(*RWMutex).TryRLock", "read lock"}, {"sync.(*RWMutex).RUnlock", "read unlock"},
	{"sync.(*rlocker).Lock", "read lock"}, {"sync.(*rlocker).Unlock", "read unlock"},
	{"sync.(*Mutex).Unlock", "unlock"}, {"sync.(*RWMutex).Unlock", "unlock"},
	{"sync.(*Mutex)", "lock"}, {"sync.(*RWMutex)", "lock"},
	{"sync.(*WaitGroup).Wait", "wait"}, {"sync.(*WaitGroup).Done", "done"}, {"sync.(*WaitGroup).Add", "add"},
	{"sync.(*Cond).Wait", "wait"}, {"sync.(*Once)", "once"}, {"sync.Once", "once"},
	{"runtime.chansend", "send"}, {"runtime.selectnbsend", "send"},
	{"runtime.chanrecv", "receive"}, {"runtime.selectnbrecv", "receive"},
	{"runtime.closechan", "close"}, {"runtime.selectgo", "select"},
}

// did is what an event was, in the words of package runtime.
func did(e *event.Event, r *report.Event) string {
	switch e.Op {
	case event.Read, event.Write:
		if e.Flags&event.Only != 0 {
			return "atomic " + e.Op.String()
		}
		return e.Op.String()
	case event.Touch:
		if r.Method != "" {
			return "call of " + r.Method
		}
		return "call"
	case event.Fork:
		return "go statement"
	case event.Acquire, event.Release, event.ReleaseMerge:
		called := ""
		for _, f := range r.Stack {
			if !ofLibrary(f.Func) {
				break
			}
			called = f.Func
		}
		for _, w := range words {
			if strings.HasPrefix(called, w.function) {
				return w.word
			}
		}
		if e.Op == event.Acquire {
			return "acquire"
		}
		return "release"
	}
	return e.Op.String()
}

// ofLibrary reports whether a function is one of the library's that synchronizes for the program.
func ofLibrary(name string) bool {
	for _, prefix := range []string{"sync.", "sync/", "internal/", "runtime."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
