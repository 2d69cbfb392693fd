// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// The log of a run, where it is asked for. Its lines come when the run is over, those with a, y, z and
// x in any run:
//
//	g <task> <parent task, or 0> <number among the parent's>    a go statement
//	p <return address> <task> <kind> <object, or 0>             an operation is about to be made
//	s <anchor> <name> <task> <from, or 0> <decision, or 0> <choice> <candidates> <usual: 0 or 1>
//	                                                            the task gets the token
//	e <task>                                                    a goroutine is over
//	k <return address, or 0> <task>                             it waits, in what is called there
//	a <turn> <points> <name> <task> <clock>                     one is let in that came from outside
//	y <turn> <points> <name> <task> <calls>                     one waits in a system call, and the
//	                                                            token was given to others
//	z <turn> <points> <name> <task> <times>                     one waits for input
//	q <turn> <points> <index> <task, or 0> <why>                the run has parted from what was told
//	x                                                           the log ends before the run did
//	l <return address> <line> <function> <file>                 before the first p or k of it
//
// Numbers are decimal. A task's number is used again when its goroutine is over. A turn is how often
// the token was given before. The clock is in nanoseconds. Calls are the system calls from which
// the task was back since it got the token, times how often it has asked for input since.

// commute_logged is the text of a log that is not yet written.
var commute_logged struct {
	p [1 << 12]byte
	n int
}

// commute_tellLog writes the log.
func commute_tellLog() {
	log := &commute_explore.control.Log
	n, all := log.Len()
	for i := range n {
		commute_tellEntry(log.At(i))
	}
	if !all {
		commute_logLine("x")
	}
	commute_flushLog()
}

func commute_tellEntry(e commute_explore_Entry) {
	switch e.What {
	case commute_explore_Made:
		commute_logLine("g", e.Task, e.Other, e.N)
	case commute_explore_Ended:
		commute_logLine("e", e.Task)
	case commute_explore_Came:
		commute_tellOutside("a", e)
	case commute_explore_Left:
		commute_tellOutside("y", e)
	case commute_explore_Asked:
		commute_tellOutside("z", e)
	case commute_explore_Parted:
		commute_logLine("q", e.Other, e.N, uint32(e.PC), e.Task, e.Choice)
	case commute_explore_Chosen:
		usual := uint32(0)
		if e.Usual || e.N == 0 {
			usual = 1
		}
		commute_logText("s ")
		commute_logNumber(e.PC)
		commute_logText(" ")
		commute_logNumber(e.To)
		commute_logLine("", e.Task, e.Other, e.N, e.Choice, e.Of, usual)
	case commute_explore_Operated:
		commute_tellPlace(e.PC)
		commute_logText("p ")
		commute_logNumber(e.PC)
		commute_logLine("", e.Task, uint32(e.Kind), e.Other)
	case commute_explore_Parked:
		commute_tellPlace(e.PC)
		commute_logText("k ")
		commute_logNumber(e.PC)
		commute_logLine("", e.Task)
	}
}

// commute_tellPlace writes where a return address is, at its first time.
func commute_tellPlace(pc uint64) {
	if pc == 0 || !commute_explore.control.Log.NewPlace(pc) {
		return
	}
	fn, file, line := commute_explore_ProgramAt(uintptr(pc))
	commute_logText("l ")
	commute_logNumber(pc)
	commute_logText(" ")
	commute_logNumber(uint64(line))
	commute_logText(" ")
	commute_logText(fn)
	commute_logText(" ")
	commute_logText(file)
	commute_logText("\n")
}

// commute_tellOutside writes that a goroutine has come from outside, or waits there.
func commute_tellOutside(word string, e commute_explore_Entry) {
	commute_logText(word)
	for _, n := range [...]uint64{uint64(e.Other), uint64(e.N), e.To, uint64(e.Task), e.PC} {
		commute_logText(" ")
		commute_logNumber(n)
	}
	commute_logText("\n")
}

// commute_logLine writes a line of a word and numbers.
func commute_logLine(word string, numbers ...uint32) {
	commute_logText(word)
	for _, n := range numbers {
		commute_logText(" ")
		commute_logNumber(uint64(n))
	}
	commute_logText("\n")
}

func commute_logNumber(n uint64) {
	var digits [20]byte
	i := len(digits)
	for first := true; first || n > 0; first = false {
		i--
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	for _, d := range digits[i:] {
		commute_logByte(d)
	}
}

func commute_logText(s string) {
	for i := range len(s) {
		commute_logByte(s[i])
	}
}

func commute_logByte(b byte) {
	l := &commute_logged
	if l.n == len(l.p) {
		commute_flushLog()
	}
	l.p[l.n] = b
	l.n++
}

func commute_flushLog() {
	l := &commute_logged
	commute_writeAll(commute_runs.fd, &l.p[0], l.n)
	l.n = 0
}

// commute_logPark logs that a goroutine parks, and in which of the program's calls.
func commute_logPark(gp *g) {
	x := &commute_explore
	if !x.control.Log.On() || x.holder.ptr() != gp {
		return
	}
	pc := commute_programCallsSlow(gp, commute_explore_Lock)
	x.lock.Lock()
	x.control.Log.Park(gp.commute_task, pc)
	x.lock.Unlock()
}
