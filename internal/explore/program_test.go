// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"math/rand"
	"slices"
)

// Small programs with locks, channels and all else that goroutines wait for, to hold what is
// predicted of a schedule against what happens.

// An action is what a thread of a program does. Where it takes two steps, the first one comes to
// the point.
type action struct {
	what actionKind
	at   int // an object of the kind, or a thread
}

type actionKind int

const (
	takeLock actionKind = iota
	tryLock
	letLock // no point
	load
	store
	add   // reads and writes
	odd   // leaves the next action out, if what was read last is odd
	sends // on a channel
	receives
	poll // receives, if there is something
	size // of a channel: nobody is told of it
	start
	done // of a WaitGroup
	waitAll
	yield
	draws
	calls   // the system
	hidden  // is an atomic operation of the library's, and no point
	actions // how many there are
)

// A program is what its threads do. The first one runs; others have to be started.
type program struct {
	threads [][]action
	room    [2]int // of channels
}

func randomProgram(r *rand.Rand, most int) (p program) {
	threads := 2 + r.Intn(2)
	p.room = [2]int{r.Intn(3), 0}
	objects := 1 + r.Intn(2)
	kinds := make([]actionKind, 1+r.Intn(5)) // few, so that they have to do with each other
	for i := range kinds {
		for kinds[i] = start; kinds[i] == start || kinds[i] == done || kinds[i] == waitAll ||
			kinds[i] == letLock; {
			kinds[i] = actionKind(r.Intn(int(actions)))
		}
	}
	p.threads = make([][]action, threads)
	parents := make([]int, threads)
	for i := range threads {
		if i > 0 {
			parents[i] = r.Intn(i)
			p.threads[parents[i]] = append(p.threads[parents[i]], action{start, i})
		}
	}
	for i := range threads {
		var own []action
		for range 1 + r.Intn(most) {
			a := action{kinds[r.Intn(len(kinds))], r.Intn(objects)}
			own = append(own, a)
			if a.what == takeLock || a.what == tryLock {
				own = append(own, action{[]actionKind{load, store, yield, draws}[r.Intn(4)], a.at},
					action{letLock, a.at})
			}
		}
		if r.Intn(2) == 0 { // some of it is between the starts
			k := r.Intn(len(own) + 1)
			p.threads[i] = slices.Concat(own[:k:k], p.threads[i], own[k:])
		} else {
			p.threads[i] = append(p.threads[i], own...)
		}
		if i > 0 {
			p.threads[i] = append(p.threads[i], action{done, 0})
		} else if r.Intn(8) > 0 {
			p.threads[i] = append(p.threads[i], action{waitAll, 0}, action{load, 0})
		}
	}
	return p
}
