// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

const testSegment = 2048

// A testRing is a ring of three segments that came round, each chunk of which begins with a Go
// record that has its number.
type testRing struct {
	file   []byte
	chunks [][2]int // where each chunk is that was not written over, by number from first on
	first  uint64
}

func ringOf(t testing.TB, seed uint64) []byte { return newTestRing(t, seed).file }

func newTestRing(t testing.TB, seed uint64) *testRing {
	r := rand.New(rand.NewPCG(seed, 4))
	head := []byte(spec.RingHeader)
	head = binary.LittleEndian.AppendUint64(head, testSegment)
	head = binary.LittleEndian.AppendUint32(head, 3)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))
	ring := make([]byte, spec.RingStart+3*testSegment)
	copy(ring, head)
	x := &testRing{}
	at, segment := spec.RingStart, 0
	segments := [3][][2]int{}
	for n := range uint64(30 + r.IntN(40)) {
		var b Builder
		b.Reset(spec.Events, spec.Plain, n)
		b.Past = n
		b.Add(&Record{Kind: event.Go, Args: [spec.MaxArgs]uint64{n}})
		b.Add(&Record{Kind: event.Exit})
		for range r.IntN(100) {
			b.Add(&Record{Kind: event.Go, Args: [spec.MaxArgs]uint64{n}})
		}
		var one bytes.Buffer
		w := &Writer{w: &one, ring: true, number: n}
		if err := w.Write(&b.Chunk); err != nil {
			t.Fatal(err)
		}
		if at+one.Len() > spec.RingStart+(segment+1)*testSegment {
			clear(ring[at : spec.RingStart+(segment+1)*testSegment])
			segment = (segment + 1) % 3
			at = spec.RingStart + segment*testSegment
			segments[segment] = nil
		}
		copy(ring[at:], one.Bytes())
		segments[segment] = append(segments[segment], [2]int{at, at + one.Len()})
		at += one.Len()
		x.first = n + 1
	}
	for i := range 3 {
		x.chunks = append(x.chunks, segments[(segment+1+i)%3]...)
	}
	x.first -= uint64(len(x.chunks))
	var b Builder
	b.Reset(spec.Definitions, spec.Plain, 0)
	b.Add(&Record{Kind: event.Meta, Texts: [spec.MaxArgs]string{"k", "v"}})
	var one bytes.Buffer
	if err := (&Writer{w: &one, ring: true}).Write(&b.Chunk); err != nil {
		t.Fatal(err)
	}
	x.file = append(ring, one.Bytes()...)
	return x
}

// numbers are those of the chunks of a ring, or nil if it is refused.
func numbers(file []byte) (list []uint64, definitions int, cut int64, err error) {
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, 0, 0, err
	}
	for {
		c, err := r.Next()
		if err != nil {
			return list, definitions, r.Cut(), nil
		}
		if c.Kind == spec.Definitions {
			definitions++
		} else {
			list = append(list, c.First)
		}
	}
}

// TestRing wants the chunks that are left in a ring in their order, after the definitions.
func TestRing(t *testing.T) {
	for seed := range uint64(100) {
		x := newTestRing(t, seed)
		var want []uint64
		for i := range x.chunks {
			want = append(want, x.first+uint64(i))
		}
		got, definitions, cut, err := numbers(x.file)
		if err != nil || !slices.Equal(got, want) || definitions != 1 || cut != 0 {
			t.Fatalf("ring %d: %v: chunks %v, %d of definitions, %d bytes cut; want %v", seed, err,
				got, definitions, cut, want)
		}
		index, err := Scan(bytes.NewReader(x.file), int64(len(x.file)))
		if err != nil || index.Version != 2 || len(index.Chunks) != len(want)+1 ||
			index.Steps != uint64(len(want)) {
			t.Fatalf("ring %d: %v: %+v", seed, err, index)
		}
		if r, _ := NewReader(bytes.NewReader(x.file)); !strings.HasPrefix(printed(t, x.file),
			spec.RingHeader) || !r.Ring() {
			t.Fatal("the text has another header")
		}
	}
}

// TestRingDamage wants chunks that are left after a change of any byte to follow on each other, and
// to be the changed one's only on one side.
func TestRingDamage(t *testing.T) {
	x := newTestRing(t, 3)
	for i := range x.file {
		bad := bytes.Clone(x.file)
		bad[i] ^= 1 << (i % 8)
		got, _, cut, err := numbers(bad)
		if err != nil {
			continue
		}
		for j := range got {
			if got[j] != got[0]+uint64(j) {
				t.Fatalf("byte %d: chunks %v", i, got)
			}
		}
		in := slices.IndexFunc(x.chunks, func(c [2]int) bool { return c[0] <= i && i < c[1] })
		if in >= 0 && slices.Contains(got, x.first+uint64(in)) {
			t.Fatalf("byte %d is in chunk %d, and the chunks are %v", i, x.first+uint64(in), got)
		}
		if in > 0 && in < len(x.chunks)-1 && cut == 0 && len(got) == len(x.chunks)-1 {
			t.Fatalf("byte %d: no bytes are said to be left out of %v", i, got)
		}
	}
}
