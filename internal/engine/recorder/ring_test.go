// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/native"
	"github.com/commutego/commute/internal/trace/raw"
)

// A disk is a file that is written by two descriptors.
type disk struct {
	data []byte
	at   int
	room int // bytes that can still be written, if not negative
	laps int
	look func() // called after each write
}

const tailFd = 9

func (d *disk) write(fd uintptr, p []byte) bool {
	full := d.room >= 0 && len(p) > d.room
	if full {
		p = p[:d.room]
	}
	if d.room >= 0 {
		d.room -= len(p)
	}
	if fd == tailFd {
		d.data = append(d.data, p...)
	} else {
		d.data = append(d.data, make([]byte, max(0, d.at+len(p)-len(d.data)))...)
		d.at += copy(d.data[d.at:], p)
	}
	if d.look != nil {
		d.look()
	}
	return !full
}

func (d *disk) open(fd uintptr, append bool) (uintptr, bool) {
	if append {
		return tailFd, true
	}
	d.at = 0
	d.laps++
	return fd, true
}

// ringOf begins a trace that keeps the last size bytes, and ends it with the test.
func ringOf(t testing.TB, size uint64) *disk {
	d := &disk{room: -1}
	host.Output, host.Opened = d.write, d.open
	reset()
	if !StartRing(7, "/x/t.trace", size) {
		t.Fatal("no ring")
	}
	t.Cleanup(func() {
		Stop()
		host.Output, host.Opened, host.Processor = nil, nil, nil
	})
	return d
}

// A workload is goroutines that change processors all the time and do what a lock orders, each
// write with the next position, in transactions that may be open for long.
type workload struct {
	r       *rand.Rand
	on      uint32
	threads []Thread
	inside  []int // transactions that are open
	hidden  []bool
	reads   []uint32
	turn    uint32
}

func newWorkload(seed uint64, threads, processors int) *workload {
	w := &workload{
		r: rand.New(rand.NewPCG(seed, 3)), threads: make([]Thread, threads),
		inside: make([]int, threads), hidden: make([]bool, threads),
		reads: make([]uint32, threads),
	}
	for i := range w.threads {
		w.threads[i].Number = uint32(i + 1)
		Goroutine(&w.threads[i], uint64(100+i), 1, 0)
	}
	host.Processor = func() uint32 { return w.on }
	return w
}

func (w *workload) round(processors uint32) {
	if w.r.Uint32N(20) == 0 {
		w.on = w.r.Uint32N(processors)
	}
	i := w.r.IntN(len(w.threads))
	me := &w.threads[i]
	switch n := w.r.Uint32N(200); {
	case n == 0 && !w.hidden[i]:
		w.inside[i]++
		StepOf(event.Begin, me, 0, uint32(1+w.inside[i]))
	case n == 1 && w.inside[i] > 0 && !w.hidden[i]:
		w.inside[i]--
		Step(event.End, me, 0)
	case n == 2:
		w.hidden[i] = !w.hidden[i]
		Step(map[bool]event.Kind{true: event.Hide, false: event.Show}[w.hidden[i]], me, 0)
	}
	Sync(event.Acquire, me, 0, 8)
	Access(event.Write, me, w.turn<<1|uint32(b(w.hidden[i])), 64)
	w.turn++
	Sync(event.Release, me, 0, 8)
	Access(event.Read, me, w.reads[i], 128)
	w.reads[i]++
}

func b(v bool) int {
	if v {
		return 1
	}
	return 0
}

// A window is what a ring tells of a workload.
type window struct {
	first, last int64 // turns; first is -1 if there are none
	inside      map[uint32]int
	lost        uint64
	cut         int64
}

// look reads a ring, and fails if what it has is no piece of the workload, with each step in its
// place.
func look(data []byte) (w window, err error) {
	r, err := native.NewReader(bytes.NewReader(data))
	if err != nil {
		return w, err
	}
	w = window{first: -1, inside: make(map[uint32]int)}
	reads := make(map[uint32]uint32)
	v := &event.Validator{}
	var batch [64]event.Event
	for {
		n, err := r.Read(batch[:])
		if err == io.EOF {
			w.lost = r.Lost()
			w.cut, _ = r.Cut()
			return w, nil
		}
		if err != nil {
			return w, err
		}
		if i, err := v.Events(batch[:n]); err != nil {
			return w, fmt.Errorf("event %v: %w", batch[i], err)
		}
		for _, e := range batch[:n] {
			pos := e.Pos
			switch e.Op {
			case event.Begin:
				w.inside[e.Thread]++
			case event.End:
				w.inside[e.Thread]--
			case event.Write:
				turn := int64(pos >> 1)
				if w.first < 0 {
					w.first, w.last = turn, turn-1
				}
				if turn != w.last+1 {
					return w, fmt.Errorf("turn %d after %d", turn, w.last)
				}
				w.last = turn
				if hidden := e.Flags&event.Hidden != 0; hidden != (pos&1 != 0) {
					return w, fmt.Errorf("that turn %d is hidden is %t", turn, hidden)
				}
			case event.Read:
				if last, ok := reads[e.Thread]; ok && pos != last+1 {
					return w, fmt.Errorf("read %d after %d", pos, last)
				}
				reads[e.Thread] = pos
			}
		}
	}
}

// TestRing wants the end of what was done to be there whole, however often the ring came round, in
// no more room than asked for, with all transactions open that are.
func TestRing(t *testing.T) {
	for _, c := range []struct {
		threads, processors, rounds int
		size                        uint64
	}{
		{1, 1, 20, 1 << 20}, {1, 1, 400000, 1 << 20}, {3, 2, 30000, 1 << 20},
		{4, 3, 600000, 1 << 20}, {20, 16, 600000, 2 << 20}, {5, 4, 900000, 9 << 20},
	} {
		if testing.Short() && c.rounds > 500000 {
			continue
		}
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			d := ringOf(t, c.size)
			Position(1, 0, 7, "main.f", "main.go")
			w := newWorkload(1, c.threads, c.processors)
			for range c.rounds {
				w.round(uint32(c.processors))
			}
			last := Position(2, 1, 8, "main.g", "main.go")
			Watched(last)
			host.Processor = nil
			Stop()
			got, err := look(d.data)
			if err != nil || got.last != int64(w.turn)-1 || got.cut != 0 {
				t.Fatalf("%v: turns %d to %d of %d, %d bytes cut", err, got.first, got.last, w.turn,
					got.cut)
			}
			for i, n := range w.inside {
				if g := got.inside[uint32(i+1)]; got.first > 0 && g != n && c.threads == 1 {
					t.Errorf("goroutine %d has %d transactions open, want %d", i+1, g, n)
				}
			}
			if d.laps == 0 && got.first != 0 || d.laps == 0 != (got.lost == 0) {
				t.Errorf("after %d laps the first turn is %d, and %d steps are lost", d.laps,
					got.first, got.lost)
			}
			if size := uint64(len(d.data)); size > c.size+4096 {
				t.Errorf("%d bytes, want at most %d and the definitions", size, c.size)
			}
			if status, size := State(); status != Good || size != uint64(len(d.data)) {
				t.Errorf("status %d, %d bytes, and there are %d", status, size, len(d.data))
			}
			// What is kept takes most of the room, at some 40 bytes a round.
			if kept := got.last - got.first + 1; d.laps > 0 && kept < int64(c.size/60) {
				t.Errorf("only %d turns are kept in %d bytes", kept, c.size)
			}
			names := strings.Join(texts(t, d.data), "\n")
			for _, want := range []string{`key="addresses" value="true"`, `func="main.f"`,
				`func="main.g"`, "Watched id=2", "Origin goid=100 parent=1 at=0"} {
				if !strings.Contains(names, want) {
					t.Errorf("no %s", want)
				}
			}
			x, err := raw.Scan(bytes.NewReader(d.data), int64(len(d.data)))
			if err != nil || x.Version != 2 || x.Cut != 0 {
				t.Fatalf("%v: %+v", err, x)
			}
		})
	}
}

// TestRingState wants what was open or hidden before the first step that is kept to be so in it.
func TestRingState(t *testing.T) {
	d := ringOf(t, 1<<20)
	one, two, three := &Thread{Number: 1}, &Thread{Number: 2}, &Thread{Number: 70000}
	Goroutine(three, 18, 1, 3)
	Section(5, "f", "f.go:1")
	StepOf(event.Begin, one, 0, 5)
	StepOf(event.Begin, one, 0, 6)
	Step(event.Hide, two, 0)
	StepOf(event.Begin, two, 0, 5) // hidden
	Step(event.End, two, 0)
	for i := range 600000 {
		Access(event.Write, three, uint32(i*3), uint64(i)<<6)
		if i == 580000 {
			Access(event.Read, two, 0, 8)
		}
	}
	Access(event.Read, one, 0, 8)
	Access(event.Read, two, 0, 8)
	Step(event.Show, two, 0)
	Access(event.Read, two, 0, 8)
	Step(event.End, one, 0)
	Step(event.End, one, 0)
	Stop()
	var list []event.Event
	r := eachEvent(t, d.data, func(e event.Event) {
		if e.Op != event.Write {
			list = append(list, e)
		}
	})
	var got []string
	for _, e := range list {
		hidden := ""
		if e.Flags&event.Hidden != 0 {
			hidden = " hidden"
		}
		got = append(got, fmt.Sprintf("%s %v%s", r.Tables().Threads.Name(e.Thread), e.Op, hidden))
	}
	want := []string{"T2 read hidden", "T1 begin", "T1 begin", "T1 read", "T2 read hidden",
		"T2 read", "T1 end", "T1 end"}
	if r.Lost() == 0 || !slices.Equal(got, want) {
		t.Errorf("%d steps are lost; got %q, want %q", r.Lost(), got, want)
	}
	if name := r.Tables().Threads.Name(1); name != "T70000" {
		t.Errorf("the first goroutine is called %s", name)
	}
}

// TestRingKilled wants what is on disk when the program is killed, anywhere in a write, to be a
// piece without gaps that goes on to where the buffers began.
func TestRingKilled(t *testing.T) {
	for _, processors := range []int{1, 3, 8} {
		const size = 1 << 20
		d := ringOf(t, size)
		w := newWorkload(5, 6, processors)
		before := slices.Clone(d.data)
		r := rand.New(rand.NewPCG(1, 1))
		looked, busy := 0, 0
		d.look = func() {
			if r.IntN(5) == 0 {
				looked++
				for range 3 {
					torn := slices.Clone(d.data)
					// the write is torn somewhere, or anywhere else nothing changes
					if at := r.IntN(len(torn)); at < len(before) {
						copy(torn[at:], before[at:])
					}
					got, err := look(torn)
					if err != nil {
						t.Fatalf("at turn %d: %v", w.turn, err)
					}
					if behind := int64(w.turn) - got.last; got.first >= 0 && behind < size/10 {
						busy++
					}
				}
			}
			before = append(before[:0], d.data...)
		}
		for range 60000 {
			w.round(uint32(processors))
		}
		d.look = nil
		host.Processor = nil
		if looked < 4 || busy < looked*2 {
			t.Errorf("%d processors: of %d times, the last turns were there %d times", processors,
				3*looked, busy)
		}
		Stop()
	}
}
