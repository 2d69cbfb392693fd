// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/txn"
	"github.com/commutego/commute/internal/event"
)

// startAccessor is one that knows nothing of others.
func startAccessor() *Accessor {
	g := new(Accessor)
	g.Reset()
	instance.Clocks.Start(&g.Clock)
	return g
}

func (g *Accessor) finish() {
	g.EndMemory()
	g.Finish()
}

// placeOf is where a site is, as Inferred.Pairs has it.
func placeOf(t testing.TB, site uint32) compiled.Line {
	t.Helper()
	file, line, ok := host.LineAt(datarace.PC(site), 0)
	if !ok {
		t.Fatal("a site is nowhere")
	}
	return compiled.Line{File: file, Number: line}
}

// watchThis has the functions of package fixture count as watched ones.
func watchThis(t testing.TB) {
	clear(source.Layers[:])
	source.Keep(&compiled.Registration{Path: fixture.Package, Watched: true})
	t.Cleanup(func() { clear(source.Layers[:]) })
}

// An oracle keeps all that has happened, and looks through it.
type oracle struct {
	events []happened
	known  []map[int]bool           // the events that each goroutine knows of
	clocks map[uintptr]map[int]bool // and those that have been released
}

type happened struct {
	g    int
	kind string // read, dependent, write, acquire
	addr uintptr
	txn  int // the innermost run of the function that it is in
	// learned are the writes that an acquire was the first to tell the goroutine of.
	learned map[int]bool
}

func (o *oracle) add(e happened) int {
	o.events = append(o.events, e)
	o.known[e.g][len(o.events)-1] = true
	return len(o.events) - 1
}

func (o *oracle) acquire(g int, addr uintptr) {
	e := happened{g: g, kind: "acquire", addr: addr, learned: map[int]bool{}}
	for w := range o.clocks[addr] {
		if !o.known[g][w] {
			o.known[g][w], e.learned[w] = true, true
		}
	}
	o.add(e)
}

func (o *oracle) release(g int, addr uintptr) {
	o.clocks[addr] = map[int]bool{}
	for w := range o.known[g] {
		o.clocks[addr][w] = true
	}
}

// lost returns the write that is lost by a dependent write of g now, in a run of the function, as g
// has not seen it; -1 if there is none.
func (o *oracle) lost(g, txn int, addr, lock uintptr) int {
	read := -1
	for i, e := range o.events {
		if e.g == g && e.addr == addr && e.txn == txn && e.kind == "read" {
			read = i
		} else if e.g == g && e.addr == addr && e.txn == txn && e.kind == "dependent" {
			read = -1
		}
	}
	if read < 0 {
		return -1
	}
	last := -1
	for i := read + 1; i < len(o.events); i++ {
		e := o.events[i]
		if e.addr == addr && (e.kind == "write" || e.kind == "dependent") {
			last = i
		}
		if e.kind != "acquire" || e.g != g || last < 0 || o.events[last].g == g {
			continue
		}
		for k := read; k < i; k++ { // did it know of that write before?
			if o.events[k].g == g && o.events[k].learned[last] && o.events[k].addr != lock {
				return -1
			}
		}
	}
	if last < 0 || o.events[last].g == g {
		return -1
	}
	return last
}

// TestInferred compares what is found with what an oracle says of random runs, in which a lock
// guards two variables, and goroutines tell each other of what they have done by other means too.
func TestInferred(t *testing.T) {
	fixture.Clear(t)
	watchThis(t)
	put, get, origin := fixture.AppMain()
	reads, writes, others := fixture.SiteOf(get), fixture.SiteOf(put), fixture.SiteOf(origin)
	code := &report.Inferred{Code: atomicity.AtomicCode{Name: "f"},
		Pairs: []compiled.Pair{{Read: placeOf(t, reads), Write: placeOf(t, writes)}}}
	const lock, told, n = 0xc000300100, 0xc000300200, 3
	found := 0
	for run := range 400 {
		r := rand.New(rand.NewPCG(1, uint64(run)))
		vars := [2]uintptr{0xc000310000 + uintptr(run)*64, 0xc000310020 + uintptr(run)*64}
		o := &oracle{clocks: make(map[uintptr]map[int]bool)}
		root := startAccessor()
		var gs [n]*Accessor
		var txns [n][]*txn.Transaction
		var ids [n][]int
		begun := 0
		for i := range gs {
			gs[i] = new(Accessor)
			gs[i].Reset()
			root.Fork(&gs[i].Thread, 1)
			gs[i].CountsAccesses()
			o.known = append(o.known, make(map[int]bool))
		}
		for range 60 {
			k := r.IntN(n)
			g, addr := gs[k], vars[r.IntN(2)]
			switch op := r.IntN(10); op {
			case 0:
				begun++
				txns[k], ids[k] = append(txns[k], new(txn.Transaction)), append(ids[k], begun)
				g.BeginInferred(txns[k][len(txns[k])-1], code)
			case 1:
				if last := len(txns[k]) - 1; last >= 0 {
					g.EndInferred(txns[k][last])
					txns[k], ids[k] = txns[k][:last], ids[k][:last]
				}
			case 2:
				g.InferSync(told, event.Acquire)
				g.Acquire(told)
				o.acquire(k, told)
			case 3:
				g.InferSync(told, event.Release)
				g.Release(told)
				o.release(k, told)
			default:
				g.InferSync(lock, event.Acquire)
				g.Acquire(lock)
				o.acquire(k, lock)
				want, txn := -1, 0
				if len(ids[k]) > 0 {
					txn = ids[k][len(ids[k])-1]
				}
				switch {
				case op < 6:
					g.Access(addr, 1, 0, reads)
					o.add(happened{g: k, kind: "read", addr: addr, txn: txn})
				case op < 8 && txn > 0:
					want = o.lost(k, txn, addr, lock)
					g.Access(addr, 1, datarace.Write, writes)
					o.add(happened{g: k, kind: "dependent", addr: addr, txn: txn})
				default:
					g.Access(addr, 1, datarace.Write, others)
					o.add(happened{g: k, kind: "write", addr: addr})
				}
				got := g.lostUpdate.P()
				g.lostUpdate = offheap.Ref[report.LostUpdate]{}
				if (got != nil) != (want >= 0) {
					t.Fatalf("run %d, event %d, by goroutine %d: found is %v, "+
						"and the write that is lost %d:\n%s",
						run, len(o.events)-1, k, got != nil, want, o)
				}
				if got != nil {
					found++
					checkLost(t, got, addr, reads, writes, others)
					lostUpdates.Put(got)
				}
				g.InferSync(lock, event.Release)
				g.Release(lock)
				o.release(k, lock)
			}
		}
		for _, g := range gs {
			g.finish()
		}
		root.finish()
	}
	if found < 100 {
		t.Errorf("only %d updates were lost", found)
	}
}

func checkLost(t *testing.T, x *report.LostUpdate, addr uintptr, reads, writes, others uint32) {
	t.Helper()
	c := &x.Cycle
	a, b := &c.Edges[0], &c.Edges[1]
	if c.N != 2 || a.Addr != addr || b.Addr != addr || a.FromSite != reads || b.ToSite != writes ||
		a.ToSite != b.FromSite || a.FromWrites || !b.ToWrites {
		t.Errorf("the cycle is %+v", c.Edges[:c.N])
	}
	if s := a.ToSite; s != writes && s != others {
		t.Errorf("the write in between is at site %d", s)
	}
}

// TestInferredInMarked is part of what is marked, which goes on when it ends.
func TestInferredInMarked(t *testing.T) {
	g := startAccessor()
	defer g.finish()
	var marked, inner txn.Transaction
	g.BeginAtomic(&marked, &atomicity.AtomicCode{Name: "m"})
	g.BeginInferred(&inner, &report.Inferred{})
	if !g.activation.Nil() {
		t.Error("it begins in a marked transaction")
	}
	g.EndInferred(&inner)
	if !g.Txn.InTransaction() {
		t.Error("its end ends the marked one")
	}
	g.EndAtomic(&marked)

	var outer txn.Transaction
	inner = txn.Transaction{}
	g.BeginInferred(&outer, &report.Inferred{})
	g.BeginInferred(&inner, &report.Inferred{})
	g.EndInferred(&outer) // by a panic that the inner one's end was lost to
	if !g.activation.Nil() {
		t.Error("one is left behind")
	}
	g.EndInferred(&inner)
}

// TestIsAt tells places in one function that is called from two, and files whose names begin alike.
func TestIsAt(t *testing.T) {
	put, get, origin := fixture.AppMain()
	site := fixture.SiteOf(put)
	here, by := placeOf(t, site), placeOf(t, datarace.Caller(site))
	other, none := placeOf(t, fixture.SiteOf(get)), compiled.Line{}
	for _, test := range []struct {
		place, by compiled.Line
		want      bool
	}{
		{here, none, true},
		{here, by, true},
		{here, here, false},
		{by, none, false},
		{other, none, false},
		{other, by, false},
		{compiled.Line{File: here.File, Number: 10 * here.Number}, none, false},
		{compiled.Line{File: here.File[1:], Number: here.Number}, none, false},
		{none, none, false},
		{compiled.Line{File: "x"}, none, false},
	} {
		if got := isAt(site, test.place, test.by); got != test.want {
			t.Errorf("isAt(%v, %v) = %v", test.place, test.by, got)
		}
	}
	if isAt(fixture.SiteOf(origin), here, none) || isAt(0, here, none) {
		t.Error("another site is there too")
	}
	p := &report.Inferred{Pairs: []compiled.Pair{
		{Read: other, Write: here, WriteBy: by},
		{Read: here, Write: other},
	}}
	for range 2 { // the second answer is remembered
		if reads, writes := sidesOf(p, site); reads != 2 || writes != 1 {
			t.Errorf("it is the read of %b and the write of %b", reads, writes)
		}
	}
}

// TestInferredReport pins the words.
func TestInferredReport(t *testing.T) {
	fixture.Clear(t)
	option.Current.Strip = "/home/user/"
	put, get, _ := fixture.AppMain()
	fixture.Global("example.com/m", "balance", "/home/user/app/cache.go:3")
	p := &report.Inferred{
		Code: atomicity.AtomicCode{Name: "example.com/m.(*Account).Deposit"},
		Pairs: []compiled.Pair{{},
			{Read: placeOf(t, fixture.SiteOf(get)), Write: placeOf(t, fixture.SiteOf(put))}},
	}
	x := &report.LostUpdate{Pair: 1}
	x.Cycle = atomicity.Cycle{Code: &p.Code, Goid: 7, N: 2}
	x.Cycle.From[0], x.Cycle.To[1] = &p.Code, &p.Code
	x.Cycle.Edges[0] = atomicity.Edge{Kind: atomicity.Memory, Addr: 0x5010, From: 1, FromGoid: 7,
		FromSite: fixture.SiteOf(get), To: 1, ToGoid: 8, ToSite: fixture.SiteOf(put),
		ToWrites: true}
	x.Cycle.Edges[1] = atomicity.Edge{Kind: atomicity.Memory, Addr: 0x5010, From: 1, FromGoid: 8,
		FromSite: fixture.SiteOf(put), FromWrites: true, To: 2, ToGoid: 7,
		ToSite: fixture.SiteOf(put), ToWrites: true}
	b := text.Buffers.Get()
	defer text.Buffers.Put(b)
	b.Reset()
	report.PrintInferred(b, x)
	capture.Golden(t, "inferred.txt", fixture.Moved(b.String()))
}

func (o *oracle) String() (s string) {
	for i, e := range o.events {
		s += fmt.Sprintf("%d: %d %s %x", i, e.g, e.kind, e.addr)
		for w := range e.learned {
			if o.events[w].kind != "acquire" {
				s += fmt.Sprint(" ", w)
			}
		}
		s += "\n"
	}
	return s
}
