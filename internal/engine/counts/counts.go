// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package counts

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// countsVariable is read by the engine itself, so package testing doesn't make it part of the key
// of a cached result.
const countsVariable = "COMMUTE_COUNTS"

// A tally is what one processor has counted. It fills a line of the processor's cache.
type tally struct {
	calls        atomic.Uint64
	transactions atomic.Uint64 // outermost ones of marked code
	paired       atomic.Uint64 // runs of functions that check and act in two critical sections
	locks        atomic.Uint64
	_            [4]uint64
}

// counted has all counts, and the file for them.
var counted struct {
	by      [host.Shards]tally
	types   offheap.AtomicRef[calledType] // the types of which a method was called
	name    [maxCountsName]byte           // the file's name
	n       int                           // the length of the name; 0 if no file is wanted
	written atomic.Uint32                 // 1 if the file was filled
	reports uintptr                       // the file for reports; 0 if there is none
}

const maxCountsName = 512

// A calledType is a type whose methods the program has called.
type calledType struct {
	next offheap.AtomicRef[calledType]
	name string
}

var (
	calledTypes     offheap.Slab[calledType]
	calledTypesLock offheap.Lock
)

// count adds one to a counter of the current processor. That is no atomic operation where no other
// goroutine adds to the counter.
func count(n *atomic.Uint64, shard uint32) {
	if host.Bound && shard < host.Shards-1 {
		host.Publish64(n, n.Load()+1)
	} else {
		n.Add(1)
	}
}

// Call counts a call by the program.
func Call() {
	shard := host.Shard()
	count(&counted.by[shard].calls, shard)
}

// Transaction counts a transaction that begins, and isn't part of another.
func Transaction() {
	shard := host.Shard()
	count(&counted.by[shard].transactions, shard)
}

// Paired counts a run of a function that checks and acts in two critical sections.
func Paired() {
	shard := host.Shard()
	count(&counted.by[shard].paired, shard)
}

// Lock counts a lock that a watched package has taken.
func Lock() {
	shard := host.Shard()
	count(&counted.by[shard].locks, shard)
}

// NoteType notes that the program has called a method of t.
func NoteType(t *commrace.Table) {
	if t.Called.Load() != 0 || !t.Called.CompareAndSwap(0, 1) {
		return
	}
	c := calledTypes.Get()
	c.name = t.Type
	calledTypesLock.Lock()
	c.next.Store(counted.types.Load())
	counted.types.Store(c)
	calledTypesLock.Unlock()
}

// Totals are the counts of all processors.
func Totals() (all struct{ Calls, Transactions, paired, locks, Types uint64 }) {
	for i := range counted.by {
		t := &counted.by[i]
		all.Calls += t.calls.Load()
		all.Transactions += t.transactions.Load()
		all.paired += t.paired.Load()
		all.locks += t.locks.Load()
	}
	for c := counted.types.Load(); c != nil; c = c.next.Load() {
		all.Types++
	}
	return all
}

// IsStdOwned reports whether an object whose first call is made at site is the standard library's
// own. The program has no part in the calls of such an object, as of the map in which package
// testing has its running tests.
func IsStdOwned(t *commrace.Table, site uintptr) bool {
	return source.UsedByStd(t.Type) && CalledByStd(site)
}

// Start makes the file for the counts, if one is wanted.
func Start() {
	dir := host.Getenv(countsVariable)
	if dir == "" {
		return
	}
	b := text.Buffers.Get()
	b.Reset()
	b.Texts(dir, "/")
	b.Uint(host.Pid())
	if name := b.String(); len(name) <= maxCountsName {
		// otherwise the process that asked has ended, and the folder is gone
		if fd, ok := host.Create(name); ok {
			host.Close(fd)
			counted.n = copy(counted.name[:], name)
		}
	}
	text.Buffers.Put(b)
}

// Wanted reports whether a command has asked for the counts.
func Wanted() bool { return counted.n != 0 }

// Reports is the file that gets a copy of each report, 0 if none is wanted, or none can be made. It
// is made for the first report: most processes have none. One goroutine calls it at a time.
func Reports() (fd uintptr) {
	if counted.n == 0 || counted.reports != 0 {
		return counted.reports
	}
	b := text.Buffers.Get()
	b.Reset()
	b.Texts(text.View(counted.name[:counted.n]), ".reports")
	if fd, ok := host.Create(b.String()); ok {
		counted.reports = fd
	}
	text.Buffers.Put(b)
	return counted.reports
}

// Write fills the file. Each line has a name and a value, which may have spaces. Recorded is false
// if a trace was wanted and is not whole, for it could not be written. Findings writes the lines
// for what was found.
func Write(recorded bool, findings func(b *text.Buffer)) {
	if counted.n == 0 || !counted.written.CompareAndSwap(0, 1) {
		return
	}
	fd, ok := host.Append(text.View(counted.name[:counted.n]))
	if !ok {
		return
	}
	all := Totals()
	b := text.Buffers.Get()
	b.Reset()
	program, _ := host.Arg(0)
	b.Texts("program ", program, "\n")
	for _, c := range [...]struct {
		name  string
		value uint64
	}{{"calls", all.Calls}, {"transactions", all.Transactions}, {"paired",
		all.paired}, {"locks", all.locks}} {
		b.Texts(c.name, " ")
		b.Uint(c.value)
		b.Text("\n")
	}
	for c := counted.types.Load(); c != nil; c = c.next.Load() {
		b.Texts("type ", c.name, "\n")
	}
	if !recorded {
		b.Text("untraced 1\n")
	}
	findings(b)
	b.Text("end\n")
	host.Write(fd, b.Bytes())
	text.Buffers.Put(b)
	host.Close(fd)
}

// Print writes what was watched, for option stats.
func Print(b *text.Buffer) {
	all := Totals()
	b.Text("commute: watched ")
	b.Uint(all.Calls)
	b.Text(text.Plural(all.Calls, " call of ", " calls of "))
	b.Uint(all.Types)
	b.Text(text.Plural(all.Types, " type, ", " types, "))
	b.Uint(all.Transactions + all.paired)
	b.Text(text.Plural(all.Transactions+all.paired, " transaction, ", " transactions, "))
	b.Uint(all.locks)
	b.Text(text.Plural(all.locks, " lock\n", " locks\n"))
}
