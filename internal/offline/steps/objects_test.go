// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package steps

import (
	"fmt"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// TestObjects has operations have the objects that are told. Each step is what it does, the object,
// n if that is known, and f if it is fixed, or > and the thread that it comes after.
func TestObjects(t *testing.T) {
	by := func(thread uint32, op event.Kind, target uint32) event.Event {
		return event.Event{Op: op, Thread: thread, Target: target}
	}
	apart := func(thread uint32) event.Event { return by(thread, event.Acquire, trace.NoLock) }
	channel := trace.CallStep{Kind: event.Value, Thread: 1, What: spec.Channel, Object: 5, Method: 4}
	say := func(before uint64, thread uint32, what uint64, object, n uint32) trace.CallStep {
		return trace.CallStep{
			Event: before, Kind: event.Value, Thread: thread, What: what, Object: object, Touches: n,
		}
	}
	fork := by(1, event.Fork, 2)
	for _, c := range []struct {
		what, want string
		events     []event.Event
		told       []trace.CallStep
	}{
		{"a slot of a channel, and something else", "a4n r4n m6",
			[]event.Event{by(1, event.Acquire, 5), by(1, event.Release, 5),
				by(1, event.ReleaseMerge, 6)}, []trace.CallStep{channel}},
		{"nothing is told", "a5 r5", []event.Event{by(1, event.Acquire, 5), by(1, event.Release, 5)},
			nil},
		{"an attempt that fails", "r4n a4n",
			[]event.Event{by(1, event.Release, 5), apart(1)},
			[]trace.CallStep{channel, say(1, 1, spec.FailsOn, 4, 0)}},
		{"one that was alone", "- r4n>1 r4n",
			[]event.Event{fork, by(2, event.Release, 5), by(2, event.Release, 5)},
			[]trace.CallStep{channel, say(0, 1, spec.LooksAt, 4, 0)}},
		{"one that was alone goes on", "- r4n",
			[]event.Event{fork, by(1, event.Release, 5)},
			[]trace.CallStep{channel, say(0, 1, spec.LooksAt, 4, 0)}},
		{"two that were alone", "- r4nf",
			[]event.Event{fork, by(2, event.Release, 5)}, []trace.CallStep{channel,
				say(0, 1, spec.LooksAt, 4, 0), say(0, 2, spec.LooksAt, 4, 0)}},
		{"two meet in selects", "- r4 a4 r4 r4n",
			[]event.Event{fork, by(1, event.Release, 5), by(1, event.Acquire, 5),
				by(1, event.Release, 5), by(1, event.Release, 5)},
			[]trace.CallStep{channel, say(1, 2, spec.Anywhere, 1, 0)}},
		{"Done of what the thread has added", "m7n m7n a7n",
			[]event.Event{apart(1), by(1, event.ReleaseMerge, 7), by(1, event.Acquire, 7)},
			[]trace.CallStep{say(0, 1, spec.Adds, 7, 1)}},
		{"of what was added before the go statement", "m7n - m7n r7n",
			[]event.Event{apart(1), fork, by(2, event.ReleaseMerge, 7),
				by(2, event.ReleaseMerge, 7)}, []trace.CallStep{say(0, 1, spec.Adds, 7, 1)}},
		{"of what was added at once", "m7n - m7n m7n",
			[]event.Event{apart(1), fork, by(2, event.ReleaseMerge, 7),
				by(1, event.ReleaseMerge, 7)}, []trace.CallStep{say(0, 1, spec.Adds, 7, 2)}},
		{"of what was added after it", "- m7n r7n",
			[]event.Event{fork, apart(1), by(2, event.ReleaseMerge, 7)},
			[]trace.CallStep{say(1, 1, spec.Adds, 7, 1)}},
	} {
		list, _ := decoded(c.events, c.told...)
		var got []string
		for i := range list {
			got = append(got, inWords(&list[i]))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

func inWords(s *reorder.Step) string {
	if s.Op < reorder.Acquire || s.Op > reorder.Release {
		return "-"
	}
	text := fmt.Sprint("amr"[s.Op-reorder.Acquire:][:1], s.Target)
	if s.Named {
		text += "n"
	}
	if s.Fixed {
		text += "f"
	}
	if s.After != 0 {
		text += fmt.Sprint(">", s.After-1)
	}
	return text
}

// TestManyAdded has very many additions be kept in bounded memory, by each of which one Done is
// known to come after it.
func TestManyAdded(t *testing.T) {
	const n = 3 * maxAdded
	var events []event.Event
	var told []trace.CallStep
	for i := range uint64(n) {
		events = append(events, event.Event{Op: event.Acquire, Thread: 1, Target: trace.NoLock})
		told = append(told, trace.CallStep{
			Event: i, Kind: event.Value, Thread: 1, What: spec.Adds, Object: 7, Touches: 1,
		})
	}
	for range n + 1 {
		events = append(events, event.Event{Op: event.ReleaseMerge, Thread: 1, Target: 7})
	}
	list, _ := decoded(events, told...)
	for i := n; i < 2*n; i++ {
		if list[i].Op != reorder.Merge {
			t.Fatalf("Done %d is %+v", i-n, list[i])
		}
	}
	if list[2*n].Op != reorder.Release {
		t.Errorf("of the last Done nothing is known, and it is %+v", list[2*n])
	}
}
