// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Goroutines are held up, so that more of what can happen does. Option perturb turns it off.

import (
	"internal/runtime/atomic"
	_ "unsafe" // for linkname
)

// commute_pause holds the current goroutine up for so many microseconds: 0 is not at all, and 1 is
// to let others run. All pauses together take at most a small part of the time that the program has
// run so far, so that none is much slower for them. A sleep takes longer than it is asked to.
func commute_pause(us uint32) {
	if us == 0 || getg().m.locks != 0 {
		return
	}
	const (
		free = 20e6 // nanoseconds
		part = 32
	)
	start := nanotime()
	if commute_paused.Load() > free+(start-runtimeInitTime)/part {
		return
	}
	if us == 1 || !haveSysmon { // without threads nobody else could run meanwhile
		Gosched()
	} else {
		commute_sleep(us)
	}
	commute_paused.Add(nanotime() - start)
}

// commute_paused is how long goroutines have been paused, in nanoseconds.
var commute_paused atomic.Int64

// commute_holdWhile holds the current goroutine up while another one does what waiting asks for.
// With forOthers it also does while another one still runs, and so may be about to begin. That
// takes a short time at most. If it has often been in vain, it isn't done any longer.
//
// It reports whether the goroutine was held up in vain: no other one has done it, or is doing it.
//
//go:linkname commute_holdWhile
func commute_holdWhile(waiting func() bool, forOthers bool) (vain bool) {
	const (
		longest = 100e6 // nanoseconds
		steps   = 200   // at least: on a busy machine the others may not have run meanwhile
		often   = 4
		step    = 50 // microseconds
	)
	if !haveSysmon || commute_heldInVain.Load() >= often || !commute_perturbs() {
		return false
	}
	start := nanotime()
	n, waited := 0, false
	for ; ; n++ {
		if waiting() {
			waited = true
		} else if !forOthers || !commute_othersRun(start) {
			break
		}
		if n >= steps && nanotime()-start > longest {
			commute_heldInVain.Add(1)
			break
		}
		commute_sleep(step)
	}
	if n > 0 {
		commute_held.Add(nanotime() - start)
	}
	return n > 0 && !waited
}

// A commute_users is who uses something: a word for the goroutine that has used it last, and how
// often that was another one than before.
type commute_users struct{ last, changes atomic.Uint32 }

// commute_used notes that the current goroutine uses something. It returns how often who uses it
// has changed. A goroutine that has started another one is not the same any more.
//
//go:linkname commute_used
func commute_used(all *commute_users) (change uint32) {
	gp := getg()
	word := commute_text_Mix(gp.goid)
	if gp.racectx != 0 {
		word += commute_ctx(gp.racectx).Started()
	}
	if all.last.Load() != uint32(word) {
		all.last.Store(uint32(word))
		all.changes.Add(1)
	}
	return all.changes.Load()
}

// commute_heldInVain is how often a goroutine was held up for as long as it may be, and
// commute_held for how many nanoseconds goroutines have been held up.
var (
	commute_heldInVain atomic.Uint32
	commute_held       atomic.Int64
)

// commute_othersRun reports whether a goroutine besides the current one runs, or could, and the
// current one may be held up for that, as it is since a moment. All the time for which goroutines
// are held up so is a small part of the program's.
func commute_othersRun(since int64) bool {
	const (
		free    = 100e6 // nanoseconds
		part    = 32
		longest = 20e6 // nanoseconds: it may be one that always runs
	)
	now := nanotime()
	if now-since > longest || commute_held.Load() > free+(now-runtimeInitTime)/part {
		return false
	}
	mp := acquirem()
	others := sched.npidle.Load() < gomaxprocs-1 || !runqempty(mp.p.ptr())
	releasem(mp)
	return others
}

func commute_perturbs() bool {
	mp := acquirem()
	on := commute_option_Perturbs()
	releasem(mp)
	return on
}
