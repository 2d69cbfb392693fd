// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package order

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// A component is the place of an event in the clocks: its thread's slot, and its time.
type component struct{ slot, time uint32 }

// TestAgreesWithHappensBefore wants the clock of each access and touch to know those earlier
// accesses and touches that happen before it by the definition, and no others.
func TestAgreesWithHappensBefore(t *testing.T) {
	ordered, unordered := 0, 0
	tracegen.Each(t, 10000, func(tr tracegen.Trace) error {
		before := tracegen.HappensBefore(tr)
		o := New(tr.Relation)
		at := make([]component, len(tr.Events))
		for i := range tr.Events {
			e := &tr.Events[i]
			if e.Op == event.Touch { // it has the time before, which ends with it
				if o.start(e.Thread); !o.threads[e.Thread].hasSlot {
					o.relay(e)
				}
				at[i] = component{o.Clock(e.Thread).Slot(), o.Clock(e.Thread).Own()}
			}
			o.Event(e)
			if !isAccess(e) {
				continue
			}
			c := o.Clock(e.Thread)
			if e.Op != event.Touch {
				at[i] = component{c.Slot(), c.Own()}
			}
			for j := range i {
				if f := &tr.Events[j]; !isAccess(f) || f.Thread == e.Thread {
					continue
				}
				want := before(j, i)
				if got := c.At(at[j].slot) >= at[j].time; got != want {
					return fmt.Errorf("event %d knows event %d: %v, want %v", i, j, got, want)
				}
				if want {
					ordered++
				} else {
					unordered++
				}
			}
		}
		return nil
	})
	if ordered < 10000 || unordered < 10000 {
		t.Errorf("%d pairs are ordered and %d are not: that says little", ordered, unordered)
	}
}

func isAccess(e *event.Event) bool {
	return e.Op == event.Read || e.Op == event.Write || e.Op == event.Touch
}

// TestTrees compares random operations on trees that share nodes with maps: no published tree
// changes.
func TestTrees(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		slots := []uint32{0, 1, 2, 15, 16, 17, 255, 256, 4095, 4096, 1 << 17}
		type tree struct {
			root  *node
			plain map[uint32]uint32
		}
		trees := []tree{{}}
		edits := editID(0)
		for range 60 {
			edits++
			a, b := trees[r.IntN(len(trees))], trees[r.IntN(len(trees))]
			now := tree{a.root, make(map[uint32]uint32)}
			for slot, time := range a.plain {
				now.plain[slot] = time
			}
			if r.IntN(2) == 0 {
				for range 1 + r.IntN(3) {
					slot := slots[r.IntN(len(slots))]
					time := now.plain[slot] + 1 + r.Uint32N(3)
					now.root = edits.set(now.root, slot, time)
					now.plain[slot] = time
				}
			} else {
				now.root = edits.join(a.root, b.root)
				for slot, time := range b.plain {
					now.plain[slot] = max(now.plain[slot], time)
				}
			}
			trees = append(trees, now)
		}
		for i, x := range trees {
			for _, slot := range slots {
				if got := x.root.at(slot); got != x.plain[slot] {
					t.Fatalf("seed %d: tree %d has %d at slot %d, want %d", seed, i, got, slot,
						x.plain[slot])
				}
			}
			if x.root.at(math.MaxUint32) != 0 {
				t.Fatalf("seed %d: tree %d knows a slot that nobody has", seed, i)
			}
		}
	}
}

// TestJoinShares wants a join with a clock that is greater everywhere to be that clock's tree, so
// that later joins find the same nodes.
func TestJoinShares(t *testing.T) {
	small := editID(1).set(nil, 3, 1)
	great := editID(2).set(editID(2).set(nil, 3, 2), 40, 1)
	if got := editID(3).join(small, great); got != great {
		t.Error("a join with a greater tree is another tree")
	}
	if got := editID(3).join(great, great); got != great {
		t.Error("a join with itself is another tree")
	}
}
