// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
)

// TestRingIdle has a processor that has done a little long ago not hold back what the others do.
func TestRingIdle(t *testing.T) {
	d := ringOf(t, 1<<20)
	w := newWorkload(2, 2, 2)
	w.on = 1
	Access(event.Read, &Thread{Number: 9}, 0, 8)
	for range 400000 {
		w.on = 0
		w.round(1)
	}
	got, err := look(d.data)
	if err != nil || got.first <= 0 || int64(w.turn)-got.last > 60000 {
		t.Errorf("%v: turns %d to %d of %d", err, got.first, got.last, w.turn)
	}
}

// TestRingCutOff has a ring that ends anywhere be read as far as it goes, or refused.
func TestRingCutOff(t *testing.T) {
	d := ringOf(t, 1<<20)
	w := newWorkload(3, 4, 3)
	for i := range 300000 {
		if w.round(3); i%10000 == 0 {
			Position(uint64(i), 0, 7, "main.f", "main.go")
		}
	}
	host.Processor = nil
	Stop()
	r := rand.New(rand.NewPCG(1, 1))
	read := 0
	for i := range 60 {
		n := len(d.data) - 1 - 10*i
		if i > 40 {
			n = r.IntN(len(d.data))
		}
		got, err := look(d.data[:n])
		if err == nil && got.first >= 0 {
			read++
		}
		if err != nil && !strings.Contains(err.Error(), "damaged") &&
			!strings.Contains(err.Error(), "no binary trace") {
			t.Fatalf("%d of %d bytes: %v", n, len(d.data), err)
		}
	}
	if read < 20 {
		t.Errorf("only %d could be read", read)
	}
}

// TestRingLive reads a ring while it is written on, in pieces.
func TestRingLive(t *testing.T) {
	d := ringOf(t, 1<<20)
	w := newWorkload(4, 4, 2)
	r := rand.New(rand.NewPCG(1, 1))
	for range 15 {
		for range 5000 {
			w.round(2)
		}
		var copied []byte
		for len(copied) < len(d.data) {
			copied = append(copied,
				d.data[len(copied):min(len(d.data), len(copied)+r.IntN(400<<10))]...)
			for range r.IntN(8000) {
				w.round(2)
			}
		}
		if _, err := look(copied); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRingFullDisk(t *testing.T) {
	for _, room := range []int{100, 100 << 10, 1<<20 + 32 + 10, 1<<20 + 1000, 3 << 20} {
		d := ringOf(t, 1<<20)
		d.room = room - len(d.data)
		w := newWorkload(6, 2, 2)
		for range 300000 {
			w.round(2)
		}
		host.Processor = nil
		Stop()
		if status, _ := State(); status != Failed {
			t.Errorf("%d bytes: status %d, want %d", room, status, Failed)
		}
		if got, err := look(d.data); err != nil || room > 150<<10 && got.first < 0 {
			t.Errorf("%d bytes: %v, turns %d to %d", room, err, got.first, got.last)
		}
	}
}

// TestCrash has a program crash while one holds the lock of a shard, and while no goroutine does.
func TestCrash(t *testing.T) {
	out := record(t, 0)
	one := &Thread{Number: 1}
	Access(event.Write, one, 0, 8)
	shards[5].lock.Lock()
	Crash()
	shards[5].lock.Unlock()
	if got, _ := read(t, out.Bytes()); len(got) != 0 || On() {
		t.Errorf("got %q, recording: %t", got, On())
	}
	out = record(t, 0)
	Access(event.Write, one, 0, 8)
	Crash()
	Access(event.Write, one, 0, 8)
	if got, _ := read(t, out.Bytes()); len(got) != 1 || On() {
		t.Errorf("got %q, recording: %t", got, On())
	}
}

func BenchmarkRing(b *testing.B) {
	ringOf(b, 64<<20)
	host.Output = func(uintptr, []byte) bool { return true }
	b.ReportAllocs()
	one, i := &Thread{Number: 1}, uint64(0)
	for b.Loop() {
		Access(event.Write, one, uint32(i>>4), 0xc000000000+i%4096*8)
		i++
	}
}
