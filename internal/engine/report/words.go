// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// What the program has called says what a release or an acquire was for. The innermost frames of
// its site are those of the library's function (see commute_syncSite).

// words are what the library's functions are called in reports; of several that fit a name, the
// first.
var words = [...]struct{ function, word string }{
	{"sync.(*Mutex).Lock", "lock"}, {"sync.(*Mutex).TryLock", "lock"},
	{"sync.(*Mutex).Unlock", "unlock"},
	{"sync.(*RWMutex).Lock", "lock"}, {"sync.(*RWMutex).TryLock", "lock"},
	{"sync.(*RWMutex).Unlock", "unlock"},
	{"sync.(*RWMutex).RLock", "read lock"}, {"sync.(*RWMutex).TryRLock", "read lock"},
	{"sync.(*RWMutex).RUnlock", "read unlock"},
	{"sync.(*rlocker).Lock", "read lock"}, {"sync.(*rlocker).Unlock", "read unlock"},
	{"sync.(*WaitGroup).Wait", "wait"}, {"sync.(*WaitGroup).Done", "done"},
	{"sync.(*WaitGroup).Add", "add"},
	{"sync.(*Cond).Wait", "wait"}, {"sync.(*Once)", "once"}, {"sync.Once", "once"},
	{"runtime.chansend", "send"}, {"runtime.selectnbsend", "send"},
	{"runtime.chanrecv", "receive"}, {"runtime.selectnbrecv", "receive"},
	{"runtime.closechan", "close"}, {"runtime.selectgo", "select"},
}

// wordOf is the word for one side of an edge by synchronization: the release if first is set, or
// else the acquire.
func wordOf(e *atomicity.Edge, first bool) string {
	site := e.ToSite
	if first {
		site = e.FromSite
	}
	name := calledAt(site)
	for i := range words {
		if w := &words[i]; text.HasPrefix(name, w.function) {
			return w.word
		}
	}
	return text.Pick(first, "release", "acquire")
}

// calledAt is the library's function that the program has called at a site, the empty string if it
// has called none.
func calledAt(site uint32) (name string) {
	stack.EachFrame(site, func(fr host.Frame) bool {
		if !stack.OfLibrary(fr.Func) {
			return false
		}
		name = fr.Func
		return true
	})
	return name
}
