// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/check/callrace"
	"github.com/commutego/commute/internal/check/fasttrack"
	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/hb"
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// ringFrom is the file of a program that made the events and lost those before number cut. Steps
// are numbered from 1, and written in pieces in any order of threads, as buffers would be.
func ringFrom(t testing.TB, seed uint64, tr tracegen.Trace, cut uint64) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	var file bytes.Buffer
	w, err := raw.NewRing(&file)
	if err != nil {
		t.Fatal(err)
	}
	var defs raw.Builder
	defs.Reset(spec.Definitions, spec.S2, 0)
	for p := range tr.Relation.Points() {
		defs.Add(&raw.Record{Kind: event.Point, Args: [spec.MaxArgs]uint64{uint64(p)},
			Texts: [spec.MaxArgs]string{1: "T"}})
	}
	for p := range tr.Relation.Points() {
		for _, q := range tr.Relation.Conflicts(p) {
			defs.Add(&raw.Record{Kind: event.Conflict,
				Args: [spec.MaxArgs]uint64{uint64(p), uint64(q)}})
		}
	}
	if err := w.Write(&defs.Chunk); err != nil {
		t.Fatal(err)
	}
	var b raw.Builder
	b.Reset(spec.Events, spec.Plain, 0)
	b.From, b.Past = cut, cut-min(cut, 3)
	b.Low = uint64(2*len(tr.Events) + 9)
	depth, said := make(map[uint32]uint64), make(map[uint32]bool)
	buffers := make(map[uint32][]func())
	var order []uint32
	for i, e := range tr.Events {
		seq := uint64(2 * i)
		// The file has the steps of the three numbers before, but a reader passes over them.
		if seq+3 >= cut {
			state := depth[e.Thread]
			tell := seq+1 >= cut && !said[e.Thread]
			said[e.Thread] = said[e.Thread] || tell
			if len(buffers[e.Thread]) == 0 {
				order = append(order, e.Thread)
			}
			buffers[e.Thread] = append(buffers[e.Thread], func() {
				b.Add(&raw.Record{Kind: event.Go,
					Args: [spec.MaxArgs]uint64{1000 * uint64(e.Thread)}})
				first := seq + 1
				if tell {
					first = seq
				}
				b.Add(&raw.Record{Kind: event.Seq, Args: [spec.MaxArgs]uint64{first - b.Next()}})
				if tell {
					b.Add(&raw.Record{Kind: event.State, Args: [spec.MaxArgs]uint64{0, state}})
				}
				b.Add(recordOf(e))
			})
		}
		switch e.Op {
		case event.Begin:
			depth[e.Thread]++
		case event.End:
			depth[e.Thread]--
		}
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, th := range order {
		for _, add := range buffers[th] {
			add()
		}
	}
	if err := w.Write(&b.Chunk); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func recordOf(e event.Event) *raw.Record {
	rec := &raw.Record{Kind: kinds[min(int(e.Op), len(kinds)-1)].kind, Pos: e.Pos,
		Args: [spec.MaxArgs]uint64{uint64(e.Target)}}
	switch e.Op {
	case event.Touch:
		rec.Kind, rec.Args[1] = event.Touch, uint64(e.Point)
	case event.Fork, event.Join:
		rec.Args[0] *= 1000
	}
	return rec
}

// whole is the findings in the whole of a trace: the positions of each two events that race; for
// the position of each event, the first event of its transaction; and by that, whether the
// transaction is violated.
type whole struct {
	races    map[[2]uint32]bool
	inside   map[uint32]uint64
	violated map[uint64]bool
}

func judge(tr tracegen.Trace) whole {
	w := whole{make(map[[2]uint32]bool), make(map[uint32]uint64), make(map[uint64]bool)}
	for i, others := range tracegen.Races(tr) {
		for _, j := range others {
			w.races[[2]uint32{tr.Events[j].Pos, tr.Events[i].Pos}] = true
		}
	}
	o := tracegen.NewOracle(tr.Relation)
	for i := range tr.Events {
		if o.Event(&tr.Events[i]) {
			w.violated[o.Violation().First] = true
		}
		w.inside[tr.Events[i].Pos] = o.Transaction(uint64(i)).First
	}
	return w
}

// TestMiddle has all checks find in the end of a trace nothing that isn't in the whole: the same
// pairs of a race, and transactions that are violated there, too.
func TestMiddle(t *testing.T) {
	traces, races, violations := 0, 0, 0
	for seed := range uint64(3000) {
		tr := tracegen.Random(seed)
		w := judge(tr)
		r := rand.New(rand.NewPCG(seed, 1))
		cut := 2 + 2*r.Uint64N(uint64(len(tr.Events)))
		reader, err := NewReader(bytes.NewReader(ringFrom(t, seed, tr, cut)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := all(reader, 3+int(seed%60))
		if err != nil {
			t.Fatalf("trace %d: %v", seed, err)
		}
		if wrong := event.Check(got, reader.Tables().Relation, false); wrong != nil {
			t.Fatalf("trace %d from %d: %v\n%v", seed, cut, wrong, tr)
		}
		traces++
		n, m := compare(t, seed, tr, got, reader.Tables().Relation, &w)
		races, violations = races+n, violations+m
	}
	if traces < 1000 || races < 1000 || violations < 100 {
		t.Errorf("%d traces, %d races, %d violations", traces, races, violations)
	}
}

func compare(
	t *testing.T, seed uint64, tr tracegen.Trace, got []event.Event, relation *event.Relation,
	w *whole,
) (races, violations int) {
	t.Helper()
	for name, c := range map[string]event.RaceChecker{
		"hb": hb.New(relation), "fasttrack": fasttrack.New(relation),
		"callrace": callrace.New(relation),
	} {
		for i := range got {
			if !c.Event(&got[i]) {
				continue
			}
			races++
			race := c.Race()
			if pair := [2]uint32{race.First.Event.Pos, race.Second.Event.Pos}; !w.races[pair] {
				t.Fatalf("trace %d: %s: a race of %v that the whole doesn't have\n%v", seed, name,
					pair, tr)
			}
		}
	}
	for name, c := range map[string]event.Checker{
		"frontier": frontier.New(relation), "velodrome": velodrome.New(relation),
	} {
		for i := range got {
			if c.Event(&got[i]) {
				violations++
				if at := got[i].Pos; !w.violated[w.inside[at]] {
					t.Fatalf("trace %d: %s: a violation at %d that the whole doesn't have\n%v",
						seed, name, at, tr)
				}
			}
		}
	}
	return races, violations
}

// TestMiddleText has a trace that starts in the middle tell what each goroutine is doing, or not.
func TestMiddleText(t *testing.T) {
	const text = `commute trace 2
Definitions codec=plain
Meta key="addresses" value="true"
Point id=0 type="sync.Map" name="size"
Events codec=plain first=90 low=200 ordered=false from=100 past=70
Go goroutine=0
Fresh address=0x10 size=8 pos=0
Go goroutine=5000
Begin section=0 pos=1
Origin goid=18 parent=1 at=0
Read var=8 pos=2
Seq skip=8
State hidden=0 open=2 section=0 pos=3
Read var=8 pos=4
Touch object=9 point=0 pos=4
End pos=5
End pos=6
Fork goroutine=7000 pos=7
Go goroutine=6000
Write var=8 pos=8
End pos=9
State hidden=1 open=1 section=0 pos=10
Write var=8 pos=11
State hidden=0 open=9 section=0 pos=10
Show pos=12
End pos=13
Go goroutine=7000
Write var=8 pos=14
`
	var file bytes.Buffer
	if err := raw.Parse(&file, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(r, 5)
	if err != nil {
		t.Fatal(err)
	}
	want := []event.Event{
		{Op: event.Begin, Thread: 1, Pos: 3}, {Op: event.Begin, Thread: 1, Pos: 3},
		{Op: event.Read, Thread: 1, Pos: 4},
		{Op: event.Touch, Thread: 1, Pos: 4}, {Op: event.End, Thread: 1, Pos: 5},
		{Op: event.End, Thread: 1, Pos: 6},
		// number 2 is that of goroutine 1, who started 5000
		{Op: event.Fork, Thread: 1, Target: 4, Pos: 7},
		{Op: event.Write, Thread: 3, Pos: 8, Flags: event.Hidden},
		{Op: event.Begin, Thread: 3, Pos: 10},
		{Op: event.Write, Thread: 3, Pos: 11, Flags: event.Hidden},
		{Op: event.End, Thread: 3, Pos: 13}, {Op: event.Write, Thread: 4, Pos: 14},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%vwant\n%v", tracegen.Trace{Events: got}, tracegen.Trace{Events: want})
	}
	if name := r.Tables().Threads.Name(1); name != "T5000" ||
		r.Tables().Objects.Name(0) != "sync.Map" || r.Lost() != 73 {
		t.Errorf("thread %s, object %s, %d steps lost", name, r.Tables().Objects.Name(0), r.Lost())
	}
}
