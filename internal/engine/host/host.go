// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package host is the lowest layer of the engine: memory, waiting, output, and facts about
// goroutines, stacks and types.
//
// Input: requests of the engine's other packages. Output: what Go's runtime or the operating system
// answers.
//
// In the watched program its functions are supplied from inside Go's runtime (the templates in
// internal/toolchain/patch/template, where host.X is called commute_host_X) and this package is
// left out. What stands here serves the engine's own tests, which run as ordinary programs. The
// variables of function type are hooks for those tests.
//
// # Terms
//
//	shard           the number of a processor, a P of Go's scheduler
//	bound           a caller that cannot be moved to another processor while it runs engine code
//	publish         store atomically, with all earlier stores visible to a thread that loads
//	return address  the address in the caller to which a call returns; frames are named by it
package host

import (
	"hash/maphash"
	"math/bits"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/petermattis/goid"
)

var memory struct {
	sync.Mutex
	chunks [][]uint64
}

// Alloc returns n zeroed bytes, aligned to 8 at least, that are never moved and never freed.
func Alloc(n uintptr) unsafe.Pointer {
	chunk := make([]uint64, (n+7)/8)
	memory.Lock()
	memory.chunks = append(memory.chunks, chunk)
	memory.Unlock()
	return unsafe.Pointer(&chunk[0])
}

// Reserve is Alloc for so much that most of it will never be touched, and is not to cost anything.
func Reserve(n uintptr) unsafe.Pointer { return Alloc(n) }

// Back has the system give memory to the n bytes at p, which Reserve has returned and which may
// have none yet, or Alloc, if these are 64 KB or more. It need not: then each page gets it when it
// is written.
func Back(p unsafe.Pointer, n uintptr) {
	if Backed != nil {
		Backed(p, n)
	}
}

// Backed is called by Back, for tests that have to know what of.
var Backed func(p unsafe.Pointer, n uintptr)

// The owners of memory, as Owned has them.
const (
	Mapped   = iota // a part of the program that may unmap and reuse it without any notice
	Constant        // the program, which never writes there
	Program         // the program: it is on Go's heap, or a variable of a package
)

// Owned is the owner of the memory at addr.
func Owned(addr uintptr) int { return Program }

// Paused is called whenever a caller pauses, for tests that have to know that one waits.
var Paused func()

// Pause waits for a short time in a spin loop: try counts how often the caller has paused already.
func Pause(try int) {
	if Paused != nil {
		Paused()
	}
	if try > 16 {
		runtime.Gosched()
	}
}

// Pins is called by Pin with 1 and by Unpin with -1, for tests that have to know of both.
var Pins func(change int)

// Pin disables preemption of the caller, who may be pinned already, until Unpin.
func Pin() {
	if Pins != nil {
		Pins(1)
	}
}

// Unpin is the end of what Pin began.
func Unpin() {
	if Pins != nil {
		Pins(-1)
	}
}

// Shards is the number of values of Shard.
const Shards = 64

// Bound says that no two callers run at once with the same Shard, unless it is the last one. Where
// it is true, what belongs to a shard needs no lock.
const Bound = false

// Processor is what Shard returns, for tests in which goroutines move from one processor to
// another.
var Processor func() uint32

// Prefetch has the memory at an address come into the processor's cache. Any address will do.
func Prefetch(addr uintptr) {}

// Len64 is the number of bits that it takes to write x.
func Len64(x uint64) int { return bits.Len64(x) }

// Shard is the number of the processor that the caller runs on, below Shards.
func Shard() uint32 {
	if Processor != nil {
		return Processor()
	}
	return 0
}

// Publish32 stores v so that a thread that loads it sees what was stored before. Unlike Store it
// may be passed by loads that come after it, and so costs little.
func Publish32(p *atomic.Uint32, v uint32) { p.Store(v) }

// PublishWord is Publish32 for a word.
func PublishWord(p *atomic.Uintptr, v uintptr) { p.Store(v) }

// Published is called when Publish64 has stored a value, for tests in which another thread comes
// then.
var Published func(p *atomic.Uint64)

// Publish64 is Publish32 for 64 bits.
func Publish64(p *atomic.Uint64, v uint64) {
	p.Store(v)
	if Published != nil {
		Published(p)
	}
}

// Goid is the current goroutine's id, as stack traces print it.
func Goid() uint64 { return uint64(goid.Get()) }

// Callers stores the return addresses of the current goroutine's frames, innermost first, leaving
// out the engine's own, and returns their number. If there are more than buf has room for, its last
// outer places are for the outermost, before which elided ones are left out. Where many walks were
// long, n is without outer: then the outermost are missing, and elided is 1024.
func Callers(buf []uintptr, outer int) (n, elided int) {
	if n = runtime.Callers(2, buf); n < len(buf) || outer == 0 {
		return n, 0
	}
	all := make([]uintptr, 1<<16)
	all = all[:runtime.Callers(2, all)]
	copy(buf[n-outer:], all[len(all)-outer:])
	return n, len(all) - n
}

// CallersFrom stores the return addresses of the frames outside of one of the current goroutine's,
// and returns their number. That frame has a return address, which is so far from the end of the
// stack. If there is none, it stores nothing; so it does on ports without frame pointers.
func CallersFrom(buf []uintptr, frame, ret uintptr) (n int) { return 0 }

// A Frame is a position in the source: what a line of a stack trace shows.
type Frame struct {
	Func, File string
	Line       int
	Offset     uintptr // of the return address, from the function's first instruction
}

// NameAt is the name of the i-th function at pc, a return address, the innermost being 0. Generic
// functions are named in full.
func NameAt(pc uintptr, i int) (name string, ok bool) {
	frames := runtime.CallersFrames([]uintptr{pc})
	for {
		f, more := frames.Next()
		if i == 0 {
			return f.Function, f.PC != 0
		}
		if i--; !more {
			return "", false
		}
	}
}

// PlaceAt is NameAt, with the position in the source.
func PlaceAt(pc uintptr, i int) (name, file string, line int, ok bool) {
	name, ok = NameAt(pc, i)
	if f, is := FrameAt(pc, i); is {
		file, line = f.File, f.Line
	}
	return name, file, line, ok
}

// FrameAt gives the i-th function, innermost first, that is inlined at return address pc; ok is
// false where there is none.
func FrameAt(pc uintptr, i int) (f Frame, ok bool) {
	if i > 0 {
		return f, false
	}
	fr, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return Frame{fr.Function, fr.File, fr.Line, pc - fr.Entry}, fr.Function != ""
}

// Output takes what is written to a file descriptor other than that of standard error.
var Output func(fd uintptr, p []byte) bool

// Write writes p to a file descriptor. It reports whether all was written.
func Write(fd uintptr, p []byte) bool {
	if fd == 2 {
		os.Stderr.Write(p)
		return true
	}
	return Output == nil || Output(fd, p)
}

// Create opens a file for writing, emptied; ok is false where that fails or isn't possible.
func Create(path string) (fd uintptr, ok bool) { return 0, false }

// Close closes a file that Create or Append has opened. Here they open none.
func Close(fd uintptr) {}

// Opened opens the file of fd once more, from its beginning on or, if append, at its end. Tests
// that need it set it.
var Opened func(fd uintptr, append bool) (again uintptr, ok bool)

// Append opens a file that exists for writing at its end, wherever that is at each Write; ok is
// false where that fails or isn't possible.
func Append(path string) (fd uintptr, ok bool) {
	if Opened == nil {
		return 0, false
	}
	return Opened(0, true)
}

// Rewind goes back to the beginning of the file that was created at path, of which fd is the
// descriptor. What is written next goes over what is there. It returns the descriptor to write to
// from now on.
func Rewind(fd uintptr, path string) (again uintptr, ok bool) {
	if Opened == nil {
		return 0, false
	}
	return Opened(fd, false)
}

// ReadFile is the contents of a file, which are kept for ever; ok is false where it can't be read.
func ReadFile(path string) (data []byte, ok bool) {
	data, err := os.ReadFile(path)
	return data, err == nil
}

// Wake wakes the thread that makes the texts of reports, and writes them. It is false where there
// is no such thread.
func Wake() bool { return false }

// Getenv is the value of an environment variable when the program started.
func Getenv(name string) string { return os.Getenv(name) }

// StdRoot is the folder of the standard library's files in frames, with a slash at its end; "" if
// they have none.
func StdRoot() string {
	const here = "runtime/extern.go"
	f, _ := runtime.CallersFrames([]uintptr{reflect.ValueOf(runtime.Callers).Pointer() + 1}).Next()
	return strings.TrimSuffix(f.File, here)
}

// Pid is the process ID.
func Pid() uint64 { return uint64(os.Getpid()) }

// Exit ends the process.
func Exit(code int32) { os.Exit(int(code)) }

var seed = maphash.MakeSeed()

// Hash is a hash of v under Go's ==: equal values have equal hashes. Values that have no == are
// hashed by their representation.
func Hash(v any) uint64 { return maphash.Comparable(seed, v) }

// TypeName is the name of a type, as %T prints it.
func TypeName(typ unsafe.Pointer) string { return reflected(typ).String() }

// reflected is a type as package reflect has it: typ is the first word of an interface value.
func reflected(typ unsafe.Pointer) reflect.Type {
	e := [2]unsafe.Pointer{typ, nil}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&e)))
}

// Kind is the kind of a type, numbered as in package reflect.
func Kind(typ unsafe.Pointer) uint8 { return uint8(reflected(typ).Kind()) }

// Args is the command line, for tests to set.
var Args []string

// Arg is the i-th argument of the command line, that at 0 the program's name; ok is false where
// there is none.
func Arg(i int) (arg string, ok bool) {
	if i >= len(Args) {
		return "", false
	}
	return Args[i], true
}

// Data is where the value is whose interface value has the words typ and *word.
func Data(typ unsafe.Pointer, word *unsafe.Pointer) unsafe.Pointer {
	e := [2]unsafe.Pointer{typ, *word}
	v := reflect.ValueOf(*(*any)(unsafe.Pointer(&e)))
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.UnsafePointer()
}

// Part gives the type of the i-th field of a struct type, or element of an array type, and where it
// lies; ok is false where there is none.
func Part(typ unsafe.Pointer, i int) (part unsafe.Pointer, offset uintptr, ok bool) {
	switch t := reflected(typ); t.Kind() {
	case reflect.Struct:
		if i < t.NumField() {
			f := t.Field(i)
			return typeWord(f.Type), f.Offset, true
		}
	case reflect.Array:
		if i < t.Len() {
			return typeWord(t.Elem()), uintptr(i) * t.Elem().Size(), true
		}
	}
	return nil, 0, false
}

// typeWord is the first word of an interface value of a type.
func typeWord(t reflect.Type) unsafe.Pointer {
	v := reflect.Zero(t).Interface()
	return *(*unsafe.Pointer)(unsafe.Pointer(&v))
}

// Block tells of the heap object that addr points into: where it begins and how long it is; heap
// is false for addresses outside Go's heap.
func Block(addr uintptr) (base, size uintptr, heap bool) { return 0, 0, false }
