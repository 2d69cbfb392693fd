// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// Runs: how often a test function is run, and by which policies, says the environment variable
// COMMUTE_EXPLORE: the path of a file, and a spec for each run, with spaces between. The word log
// before the specs has runs logged; see explorelog.go. A spec may tell what comes from outside; see
// exploretold.go. What is told of the runs is appended to the
// file, which is made for it: a process that finds it there, as a child of this one does, tells
// nothing.
//
//	b <run>             a run begins
//	c <decision> <number of candidates> <the default> <hot: 0 or 1> <hash before it>
//	r <run> <hash> <points> <decisions> <forced> <hash before the last forced> <arrivals>
//	  <numbers drawn for the program>
//
// Numbers are decimal, hashes hexadecimal. The lines c and r come when the run is over. More lines
// are in explorelog.go, exploreorders.go and exploresteps.go.

var commute_runs struct {
	opened bool
	fd     uintptr
	tells  bool
	rest   string // specs of runs that are to come
	n      int    // runs that have begun
	by     uint64 // the goroutine that begins them
}

// commute_exploreRun comes when package testing begins to run tests: with -test.count it does so
// several times. It may do so inside of a test, too, for a benchmark there; that is part of the run,
// and so are tests that are run once more after the last one.
func commute_exploreRun() {
	r := &commute_runs
	gp := getg()
	if !commute_controlled(gp) {
		return
	}
	if r.by == 0 {
		r.by = gp.goid
	}
	if r.by != gp.goid || r.tells && r.n > 0 && r.rest == "" {
		return
	}
	commute_exploreEnd()
	if !r.opened {
		r.opened = true
		var path string
		path, r.rest = commute_text_Cut(gogetenv("COMMUTE_EXPLORE"), ' ')
		if path != "" {
			r.fd, r.tells = commute_createNew(path)
		}
		commute_explore.jumps = r.tells || path == "" && r.rest != ""
		if word, rest := commute_text_Cut(r.rest, ' '); word == "log" && r.tells {
			r.rest = rest
			commute_explore.control.Log.Turn(true)
		}
	}
	var word string
	word, r.rest = commute_text_Cut(r.rest, ' ')
	spec, ok := commute_explore_ParseSpec(word)
	if !ok {
		spec = commute_explore_Spec{}
	}
	var line commute_line
	line.text("b ")
	line.number(uint64(r.n), 10)
	line.write(r.tells, r.fd)
	r.n++
	mp := acquirem()
	x := &commute_explore
	x.lock.Lock()
	x.control.Begin(spec, gp.commute_task)
	x.passed = 0
	commute_ordinals.Restart()
	x.lock.Unlock()
	releasem(mp)
}

// commute_exploreEnd comes when a run is over: before the next one, and when the program ends or
// crashes.
func commute_exploreEnd() {
	r := &commute_runs
	x := &commute_explore
	mp := acquirem()
	for n := 0; !x.lock.TryLock(); n++ {
		if n > 1<<20 { // the thread that crashes may have it
			releasem(mp)
			return
		}
	}
	result, ok := x.control.Done()
	x.lock.Unlock()
	releasem(mp)
	if !ok || !r.tells {
		return
	}
	commute_tellLog()
	commute_tellChoices()
	commute_tellOrders()
	commute_tellSteps()
	var line commute_line
	line.text("r ")
	line.number(uint64(r.n-1), 10)
	line.text(" ")
	line.number(result.Hash, 16)
	for _, n := range [...]uint32{result.Points, result.Decisions, result.Forced} {
		line.text(" ")
		line.number(uint64(n), 10)
	}
	line.text(" ")
	line.number(result.Prefix, 16)
	line.text(" ")
	line.number(uint64(result.External), 10)
	line.text(" ")
	line.number(result.Random, 10)
	line.write(r.tells, r.fd)
}

// commute_tellChoices writes the decisions that another run may force.
func commute_tellChoices() {
	r := &commute_runs
	control := &commute_explore.control
	var line commute_line
	for i := range control.Choices() {
		c := control.Choice(i)
		line.text("c ")
		line.number(uint64(c.Decision), 10)
		line.text(" ")
		line.number(uint64(c.N), 10)
		line.text(" ")
		line.number(uint64(c.Usual), 10)
		if c.Hot {
			line.text(" 1 ")
		} else {
			line.text(" 0 ")
		}
		line.number(c.Hash, 16)
		line.write(r.tells, r.fd)
	}
}

// commute_createNew makes a file, for appending. It fails if there is one.
func commute_createNew(path string) (fd uintptr, ok bool) {
	const exclusive, appending = 0x80, 0x400
	var name [1024]byte
	if len(path) >= len(name) {
		return 0, false
	}
	copy(name[:], path)
	f := open(&name[0], _O_WRONLY|_O_CREAT|_O_CLOEXEC|exclusive|appending, 0o600)
	return uintptr(f), f >= 0
}

// A commute_line is a line in the making.
type commute_line struct {
	p [512]byte
	n int
}

func (l *commute_line) text(s string) { l.n += copy(l.p[l.n:], s) }

func (l *commute_line) number(n, base uint64) {
	var digits [20]byte
	i := len(digits)
	for first := true; first || n > 0; first = false {
		i--
		digits[i] = "0123456789abcdef"[n%base]
		n /= base
	}
	l.n += copy(l.p[l.n:], digits[i:])
}

// write writes the line, and begins another.
func (l *commute_line) write(tells bool, fd uintptr) {
	l.text("\n")
	if tells {
		commute_writeAll(fd, &l.p[0], l.n)
	}
	l.n = 0
}
