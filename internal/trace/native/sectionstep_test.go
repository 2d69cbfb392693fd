// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// TestSections wants the steps of critical sections with the addresses of the program, none before
// the first that only their check needs, and an exchange as one step.
func TestSections(t *testing.T) {
	r := parsed(t, fmt.Sprintf(`commute trace 1
Definitions codec=s2
Meta key="addresses" value="true"
Meta key="sections" value="true"
Place id=3 text="inside of a call"
Events codec=s2 first=0 low=99 ordered=true
Go goroutine=1
Acquire lock=8 pos=0
Value what=%d value=64 pos=0
Acquire lock=72 pos=0
Value what=%d value=5 pos=7
Value what=%d value=2 pos=7
Value what=%d value=9 pos=7
Value what=%d value=80 pos=7
Value what=%d value=88 pos=0
Release lock=72 pos=0
Value what=%d value=0 pos=0
Acquire lock=96 pos=0
Release lock=96 pos=0
AtomicRMW lock=104 pos=3
AtomicLoad lock=104 pos=0
Fork goroutine=2 pos=0
Value what=%d value=6 pos=0
Value what=%d value=1 pos=0
Value what=%d value=120 pos=0
Value what=%d value=%d pos=9
AtomicStore lock=136 pos=9
Value what=%d value=7 pos=9
Fresh address=0x40 size=8 pos=0
Exit pos=0
`, spec.Locking|2<<spec.SiteShift, spec.TouchKey, spec.TouchLen, spec.TouchWord,
		spec.Touches|1<<spec.SiteShift, spec.Touches, spec.Exchanges, spec.Enters, spec.Leaves,
		spec.Orders, spec.Announces|4<<spec.SiteShift, (136-104)<<1<<spec.SizeShift|5,
		spec.Operated|1<<spec.SiteShift))
	r.WantSections()
	if _, err := all(r, 100); err != nil {
		t.Fatal(err)
	}
	value := func(what uint64, number uint32, address uint64) trace.SectionStep {
		return trace.SectionStep{Kind: event.Value, What: what, Number: number, Address: address}
	}
	order := func(k event.Kind, address uint64) trace.SectionStep {
		return trace.SectionStep{Kind: k, Address: address}
	}
	touch, exchange := value(spec.Touches, 1, 80), order(event.Release, 96)
	touch.Full, touch.Key, touch.Word, touch.Length, touch.Pos = true, 5, 9, 2, 7
	exchange.Exchange = true
	inside := order(event.AtomicRMW, 104)
	inside.Inside = true
	announced, made := value(spec.Announces, 4, 136), value(spec.Operated, 1, 0)
	announced.Size, announced.Pos, made.Word, made.Pos = 16, 9, 7, 9
	want := []trace.SectionStep{
		value(spec.Locking, 2, 64), order(event.Acquire, 72), touch, value(spec.Touches, 0, 88),
		order(event.Release, 72), exchange, inside, order(event.AtomicLoad, 104),
		{Kind: event.Fork, Child: 2}, value(spec.Enters, 6, 6), value(spec.Leaves, 1, 1),
		value(spec.Orders, 0, 120), announced, order(event.AtomicStore, 136), made,
		{Kind: event.Fresh, Address: 64, Size: 8},
		order(event.Exit, 0),
	}
	got := r.Sections()
	for i := range got {
		if got[i].Kind != event.Fresh && got[i].Thread != 1 {
			t.Errorf("step %d is of thread %d", i, got[i].Thread)
		}
		got[i].Event, got[i].Thread = 0, 0
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("steps\n%+v\nwant\n%+v", got, want)
	}
	if len(r.Sections()) != 0 || !r.Tables().Program.Sections {
		t.Error("the steps are given twice, or the trace is said to have none")
	}
}

// TestSectionFunctions wants functions with all their pairs, and flags that are told later.
func TestSectionFunctions(t *testing.T) {
	const pairs = 2 << spec.PairsShift
	p := trace.NewProgram()
	p.SetTouchSite(0, spec.LocalVar|3<<spec.OpShift, "p.T.m", "T.m", "a.go:3", "/x y/a.go:12")
	p.SetTouchSite(1, 4<<spec.OpShift|2<<spec.AtomicShift, "p.T.m", "T.m", "a.go:3", "a.go:13")
	p.SetPair(0, 0, 1, pairs|spec.ByValue|spec.PairMarked, "p.f", "\nb.go:7")
	if p.SectionFunc(0) != nil {
		t.Error("a function with half of its pairs is whole")
	}
	p.SetPair(0, 1, 9, pairs|1<<spec.IndexShift, "p.f", "\n") // a touch that is not defined
	p.SetPair(0, 0, 1, pairs|1<<spec.IndexShift|2<<spec.ShapeShift, "p.f", "a.go:1\n")
	f := p.SectionFunc(0)
	if f == nil || len(f.Pairs) != 2 || f.Code.Name != "p.f" || !f.Marked {
		t.Fatalf("the function is %+v", f)
	}
	p.SetPair(0, 0, 1, pairs|1<<spec.IndexShift|spec.PairIgnored, "p.f", "\n")
	first, second := f.Pairs[0], f.Pairs[1]
	switch {
	case !first.Value || first.ActBy.File != "b.go" || first.ActBy.Number != 7,
		first.CheckBy.Number != 0, second.Shape != 2, second.CheckBy.Number != 1, len(f.Pairs) != 2:
		t.Errorf("the pairs are %+v", f.Pairs)
	case p.PairFlags(f, 0)&spec.PairIgnored != 0, p.PairFlags(f, 1)&spec.PairIgnored == 0:
		t.Error("flags that came later are not those of the pair")
	case !first.Check.Local, first.Check.Op != 3, first.Check.At.File != "/x y/a.go":
		t.Errorf("the check is %+v", first.Check)
	case first.Act.Op != 4, first.Act.Atomic != 2, first.Check.Atomic != 0:
		t.Errorf("the act is %+v", first.Act)
	}
}
