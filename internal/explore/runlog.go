// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"strconv"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A runLog is what has happened in a run, in order. The templates' explorelog.go has its format.
type runLog struct {
	steps  []step
	cut    bool // it ends before the run
	places map[uint64]place

	arrivals []FileArrival // from outside
	parting  *parting      // from what was told to come; nil if all did

	names      map[uint32]string // of goroutines that are there, by their tasks
	background int               // goroutines that were there before the run, and have a name
}

// A place is where the program makes an operation.
type place struct {
	fn, file string
	line     int
}

// A stepKind says what a step is.
type stepKind uint8

const (
	began   stepKind = iota // a goroutine was made
	ended                   // one is over
	about                   // one is about to make an operation
	chosen                  // one got the token
	parked                  // one waits
	outside                 // one has come from outside, or waits for that
)

// A step is something that has happened in a run.
type step struct {
	kind   stepKind
	name   string // the goroutine's: the path of go statements
	from   string // of chosen: who had the token and could go on, "" for nobody
	op     engine.Kind
	object int // of an operation; 0 for none
	at     place

	decision, choice, of int  // of chosen; decision is 0 where there was no choice
	usual                bool // the choice is the default
	anchor               anchor
}

// Names of goroutines. One that another one has made is named by the path of go statements: 2.1 is
// the first that 2 has made. The main goroutine's are 1, 2 and so on; 1 runs the test.
const (
	mainName   = "main"
	timerName  = "timer"  // with a number: begun by a timer, or from outside of control
	beforeName = "before" // with a number: there was one before the run
)

// name is the name of a task's goroutine. A run begins in the main goroutine.
func (l *runLog) name(task uint32) string {
	name, ok := l.names[task]
	if !ok {
		name = mainName
		if len(l.names) > 0 {
			l.background++
			name = beforeName + strconv.Itoa(l.background)
		}
		l.names[task] = name
	}
	return name
}

// child is the name of the goroutine that a goroutine has made as the n-th.
func child(parent string, n int) string {
	if parent == mainName {
		return strconv.Itoa(n)
	}
	return parent + "." + strconv.Itoa(n)
}

// readLog reads a line of the run's log. It leaves out what is none.
func (r *run) readLog(f []string, line string) {
	if r.log == nil {
		r.log = &runLog{places: make(map[uint64]place), names: make(map[uint32]string)}
	}
	l := r.log
	if f[0] == "l" {
		l.readPlace(line)
		return
	}
	var u [8]uint64
	var n [8]int
	for i, word := range f[1:] {
		v, err := strconv.ParseUint(word, 10, 64)
		if i >= len(n) || err != nil {
			return
		}
		u[i], n[i] = v, int(v)
	}
	if how, ok := howOf(f[0]); ok && len(f) == 6 {
		l.readArrival(how, u[:])
		return
	}
	switch {
	case f[0] == "g" && len(f) == 4:
		name := timerName + strconv.Itoa(n[2])
		if n[1] != 0 {
			name = child(l.name(uint32(n[1])), n[2])
		}
		l.names[uint32(n[0])] = name
		l.steps = append(l.steps, step{kind: began, name: name})
	case f[0] == "e" && len(f) == 2:
		l.steps = append(l.steps, step{kind: ended, name: l.name(uint32(n[0]))})
		delete(l.names, uint32(n[0]))
	case f[0] == "k" && len(f) == 3:
		l.steps = append(l.steps, step{kind: parked, name: l.name(uint32(n[1])),
			at: l.places[u[0]]})
	case f[0] == "p" && len(f) == 5:
		l.steps = append(l.steps, step{kind: about, name: l.name(uint32(n[1])),
			op: engine.Kind(n[2]), object: n[3], at: l.places[u[0]]})
	case f[0] == "s" && len(f) == 9:
		s := step{kind: chosen, decision: n[4], choice: n[5], of: n[6], usual: n[7] == 1,
			anchor: anchor{u[0], u[1]}}
		if n[3] != 0 {
			s.from = l.name(uint32(n[3]))
		}
		s.name = l.name(uint32(n[2]))
		l.steps = append(l.steps, s)
	case f[0] == "q" && len(f) == 6:
		l.parting = &parting{why: engine.Why(n[4]), point: n[1], index: n[2]}
		if n[3] != 0 {
			l.parting.goroutine = l.name(uint32(n[3]))
		}
	case f[0] == "x":
		l.cut = true
	}
}

// readPlace reads where a return address is. A function's name may have spaces, as that of an
// instance has; a file's path begins with a slash, or is one of a module.
func (l *runLog) readPlace(line string) {
	f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
	if len(f) < 4 {
		return
	}
	pc, err := strconv.ParseUint(f[1], 10, 64)
	n, err2 := strconv.Atoi(f[2])
	cut := strings.LastIndex(f[3], " /")
	if cut < 0 {
		cut = strings.LastIndexByte(f[3], ' ')
	}
	if err != nil || err2 != nil || cut < 0 {
		return
	}
	l.places[pc] = place{f[3][:cut], f[3][cut+1:], n}
}

// forces are the decisions that are not the default: the run goes the same way if they are forced.
func (l *runLog) forces() (list []engine.Force) {
	for _, s := range l.steps {
		if s.kind == chosen && !s.usual {
			list = append(list, engine.Force{Decision: uint32(s.decision), Choice: uint32(s.choice)})
		}
	}
	return list
}

// An anchor is where a decision is made, and who is chosen there: numbers of the engine's.
type anchor struct{ at, to uint64 }

// anchors are where the decisions that are not the default are made.
func (l *runLog) anchors() (list []anchor) {
	for _, s := range l.steps {
		if s.kind == chosen && !s.usual {
			list = append(list, s.anchor)
		}
	}
	return list
}

// String is a step in a line, for tests.
func (s step) String() string {
	switch s.kind {
	case began:
		return s.name + " begins"
	case ended:
		return s.name + " ends"
	case outside:
		return s.name + " comes from outside, or waits for that"
	case about:
		return fmt.Sprintf("%s: %v of %d at %s:%d", s.name, s.op, s.object, s.at.file, s.at.line)
	case parked:
		return fmt.Sprintf("%s waits at %s:%d", s.name, s.at.file, s.at.line)
	}
	return fmt.Sprintf("%d: %q to %s (%d of %d, %v)", s.decision, s.from, s.name, s.choice, s.of,
		s.usual)
}
