// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

import "unsafe"

func commute_host_Enabled() bool { return gogetenv("TALLY") != "" }

func commute_host_Write(s string) {
	write(2, unsafe.Pointer(unsafe.StringData(s)), int32(len(s)))
}

// commute_host_Tell takes what to say from the environment, with semicolons in place of newlines; - is nothing.
func commute_host_Tell() {
	dir := gogetenv("COMMUTE_COUNTS")
	if dir == "" {
		return
	}
	var digits [20]byte
	i := len(digits)
	for n := nanotime(); n > 0; n /= 10 {
		i--
		digits[i] = byte('0' + n%10)
	}
	path := []byte(dir + "/" + string(digits[i:]) + "\x00")
	fd := open(&path[0], 0x1|0x40, 0o644) // Linux's numbers
	if told := gogetenv("TOLD"); told != "-" {
		text := []byte("program " + argslice[0] + "\n" + told + "\nend\n")
		for i, c := range text {
			if c == ';' {
				text[i] = '\n'
			}
		}
		write(uintptr(fd), unsafe.Pointer(&text[0]), int32(len(text)))
	}
	closefd(fd)
}

//go:linkname commute_atomicLoad
func commute_atomicLoad(addr unsafe.Pointer) (fixed bool) {
	commute_engine_Count(commute_engine_Load, addr)
	return false
}

//go:linkname commute_atomicStore
func commute_atomicStore(addr unsafe.Pointer) (fixed bool) {
	commute_engine_Count(commute_engine_Store, addr)
	return false
}

//go:linkname commute_atomicRMW
func commute_atomicRMW(addr unsafe.Pointer) (fixed bool) {
	commute_engine_Count(commute_engine_RMW, addr)
	return false
}

//go:linkname commute_testBegin
func commute_testBegin(root bool, name string) { commute_engine_Count(commute_engine_Begin, nil) }

func commute_setTimer(addr unsafe.Pointer) {}
func commute_rendezvous(gp *g, addr unsafe.Pointer) bool {
	return false
}
func commute_sweep(s *mspan)   {}
func commute_newSpan(s *mspan) {}

//go:linkname commute_register
func commute_register(r *commute_compiled_Registration) {
	commute_engine_Count(commute_engine_Register, nil)
	if !commute_host_Enabled() {
		return
	}
	if r.Watched {
		commute_fields("watched", r.Path)
	}
	for i := range r.Directives {
		d := &r.Directives[i]
		commute_host_Write(string(d.Kind) + "\t" + r.Path)
		if d.Decl != "" {
			commute_host_Write("\t" + d.Decl)
		}
		commute_host_Write("\t" + d.File + "\t" + commute_number(d.Line))
		if r.Tested {
			commute_host_Write("\tt")
		}
		commute_host_Write("\n")
	}
	for i := range r.Sites {
		s := &r.Sites[i]
		line := commute_number(s.Line)
		commute_fields("site", r.Path, s.File, line, s.Method, string(s.Decl), s.Home, s.Name, s.Pos)
		if s.Unused {
			commute_fields("unused", r.Path, s.File, line, s.Method)
		}
	}
	for i := range r.Acts {
		check, act := &r.Acts[i].Check, &r.Acts[i].Act
		commute_fields("checkact", r.Path, check.File, commute_number(check.Line), check.Method,
			act.File, commute_number(act.Line), act.Method)
	}
	for i := range r.Globals {
		g := &r.Globals[i]
		if g.Addr == nil || g.Size == 0 {
			throw("a variable is nowhere")
		}
		commute_fields("global", r.Path, g.Name, g.Pos)
	}
}

// commute_fields writes fields, which tabs separate.
func commute_fields(fields ...string) {
	for i, f := range fields {
		if i > 0 {
			commute_host_Write("\t")
		}
		commute_host_Write(f)
	}
	commute_host_Write("\n")
}

func commute_number(n uint32) string { return string(itoa(make([]byte, 20), uint64(n))) }

//go:linkname commute_atomicBegin
func commute_atomicBegin(t *commute_compiled_Transaction, a *commute_compiled_AtomicCode) {
	if t.State != [4]uintptr{} {
		throw("a transaction begins twice")
	}
	t.State[0] = 1
	if commute_host_Enabled() {
		commute_host_Write("begin\t" + a.Name + "\t" + a.Pos + "\n")
	}
}

//go:linkname commute_atomicEnd
func commute_atomicEnd(t *commute_compiled_Transaction) {
	if t.State[0] == 1 && commute_host_Enabled() {
		commute_host_Write("end\n")
	}
	t.State[0] *= 2 // no longer 1
}

// What a transaction need not count: it is told of, and changes nothing.

//go:linkname commute_atomicFresh
func commute_atomicFresh() bool { return true }

//go:linkname commute_atomicAgain
func commute_atomicAgain() {
	if commute_host_Enabled() {
		commute_host_Write("again\n")
	}
}

//go:linkname commute_atomicLeaveOut
func commute_atomicLeaveOut(out bool) {
	if out && commute_host_Enabled() {
		commute_host_Write("left out\n")
	}
}

// Critical sections: each run of a function with pairs is told of, with all of its pairs.

//go:linkname commute_sectionRegister
func commute_sectionRegister(r *commute_compiled_SectionRegistration) {}

//go:linkname commute_sectionEnter
func commute_sectionEnter(r *commute_compiled_Transaction, f *commute_compiled_SectionFunc) {
	if r.State != [4]uintptr{} {
		throw("a function begins twice")
	}
	if commute_host_Enabled() {
		for i := range f.Pairs {
			p := &f.Pairs[i]
			commute_host_Write("pair\t" + f.Code.Name + "\t" + f.Code.Pos)
			for _, l := range [...]commute_compiled_Line{p.Check.At, p.CheckBy, p.Act.At, p.ActBy} {
				commute_host_Write("\t")
				if l.Number != 0 {
					commute_host_Write(l.File + ":" + commute_number(uint32(l.Number)))
				}
			}
			commute_host_Write("\n")
		}
	}
}

//go:linkname commute_sectionLeave
func commute_sectionLeave(r *commute_compiled_Transaction) {}

//go:linkname commute_sectionLock
func commute_sectionLock(s *commute_compiled_LockSite, lock unsafe.Pointer) {}

//go:linkname commute_sectionAtomic
func commute_sectionAtomic(p *commute_compiled_SectionTouch, addr unsafe.Pointer, size uintptr) {}

//go:linkname commute_sectionTouch
func commute_sectionTouch(p *commute_compiled_SectionTouch, object unsafe.Pointer,
	keyType any, key unsafe.Pointer, valueType any, value unsafe.Pointer) {
}

//go:linkname commute_sectionBlock
func commute_sectionBlock(p *commute_compiled_SectionTouch, at unsafe.Pointer, size uintptr) {}

//go:linkname commute_sectionKey
func commute_sectionKey(p *commute_compiled_SectionTouch, keyType any, key unsafe.Pointer) bool {
	return true
}

//go:linkname race_Acquire internal/race.Acquire
func race_Acquire(addr unsafe.Pointer) { raceacquire(addr) }

//go:linkname race_Release internal/race.Release
func race_Release(addr unsafe.Pointer) { racerelease(addr) }

//go:linkname race_ReleaseMerge internal/race.ReleaseMerge
func race_ReleaseMerge(addr unsafe.Pointer) { racereleasemerge(addr) }

//go:linkname race_Disable internal/race.Disable
func race_Disable() {}

//go:linkname race_Enable internal/race.Enable
func race_Enable() {}

//go:linkname race_Errors internal/race.Errors
func race_Errors() int { return 0 }

//go:linkname commute_begin
func commute_begin(c unsafe.Pointer) { commute_engine_Count(commute_engine_Call, c) }

//go:linkname commute_end
func commute_end(c unsafe.Pointer) {}

//go:linkname commute_observe
func commute_observe(spec, obj unsafe.Pointer, method, beta uint32, key uint64, args unsafe.Pointer, nargs uint32) {
	commute_engine_Count(commute_engine_Call, obj)
}

//go:linkname commute_leave
func commute_leave(c unsafe.Pointer) {}

//go:linkname commute_resume
func commute_resume(c unsafe.Pointer) {}

//go:linkname commute_hash
func commute_hash(v any) uint64 { return uint64(nilinterhash(noescape(unsafe.Pointer(&v)), 0)) }

//go:linkname commute_key
func commute_key(v any, c unsafe.Pointer) uint64 { return 0 }

//go:linkname commute_equal
func commute_equal(a, b any) bool { return *efaceOf(&a) == *efaceOf(&b) }

func commute_exiting(status int) {}

// commute_signalled comes from the handler of signals, and leaves them to it.
func commute_signalled(sig uint32) bool { return false }

func commute_crashing()                   {}
func commute_recovered(gp *g, sp uintptr) {}

// Nothing is reported, so nothing has to be written before the program ends.

func commute_fatal(sound bool)          {}
func commute_drain()                    {}
func commute_reportsPending() bool      { return false }
func commute_ordinary(uintptr) bool     { return false }
func commute_noteStart(uintptr, string) {}

// Where accesses to memory are watched, this is a build of its own; the functions are there in any.

const commute_memory = false

const commute_exploring = false

func commute_malloc(x unsafe.Pointer, size uintptr) {}

//go:linkname commute_lock
func commute_lock(addr unsafe.Pointer) {}

//go:linkname commute_locked
func commute_locked(lock, sync, also unsafe.Pointer, mode uint8) { raceacquire(sync) }

//go:linkname commute_unlocking
func commute_unlocking(lock, sync unsafe.Pointer, read bool) { racerelease(sync) }

//go:linkname commute_failedAttempt
func commute_failedAttempt() {}

func commute_operated(c *hchan, sg *sudog) {}

func commute_closing(c *hchan) {}

func commute_failedOn(c *hchan, sends bool) {}

func commute_failedOnAll(cases []scase) {}

//go:linkname commute_atomicDone
func commute_atomicDone(addr unsafe.Pointer) { commute_engine_Count(commute_engine_Load, addr) }

//go:linkname commute_atomicWhole
func commute_atomicWhole() bool { return false }

//go:linkname commute_atomicMade
func commute_atomicMade(addr unsafe.Pointer) {}

//go:linkname commute_plainLoad
func commute_plainLoad(addr unsafe.Pointer) {}

//go:linkname commute_plainStore
func commute_plainStore(addr unsafe.Pointer) {}

//go:linkname commute_plainRMW
func commute_plainRMW(addr unsafe.Pointer) {}

//go:nosplit
func raceread(addr uintptr) { commute_engine_Count(commute_engine_Memory, nil) }

//go:nosplit
func racewrite(addr uintptr) { commute_engine_Count(commute_engine_Memory, nil) }

//go:nosplit
func racereadrange(addr, size uintptr) { commute_engine_Count(commute_engine_Memory, nil) }

//go:nosplit
func racewriterange(addr, size uintptr) { commute_engine_Count(commute_engine_Memory, nil) }

//go:nosplit
func racefuncenter(pc uintptr) {}

//go:nosplit
func racefuncexit() {}

//go:linkname commute_reportsTo
func commute_reportsTo(fd uintptr) {}

//go:linkname commute_testFindings
func commute_testFindings() int { return 0 }

//go:linkname commute_testArtifacts
func commute_testArtifacts(name, dir string) {}

//go:linkname commute_ignoreEvents
func commute_ignoreEvents(by int8) {}

//go:linkname commute_releaseAt
func commute_releaseAt(addr unsafe.Pointer) {}

//go:linkname commute_acquireAt
func commute_acquireAt(addr unsafe.Pointer) {}

//go:linkname commute_poolPut
func commute_poolPut(addr unsafe.Pointer) {}

//go:linkname commute_poolGet
func commute_poolGet(addr unsafe.Pointer) {}

//go:linkname commute_ioOpen
func commute_ioOpen(fd int) {}

//go:linkname commute_ioClose
func commute_ioClose(fd int) {}

//go:linkname commute_leaked
func commute_leaked() (fails bool) { return false }

func commute_hideElements() {}
func commute_collected()    {}

func commute_keepWeak(s *mspan, weak *specialWeakHandle, gcw *gcWork) {}
