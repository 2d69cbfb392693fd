// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// TestCut has a trace that ends anywhere be read up to there.
func TestCut(t *testing.T) {
	one := &Thread{Number: 1}
	out := record(t, 0)
	for i := range uint64(100000) {
		Access(event.Write, one, uint32(i), i*8)
	}
	Stop()
	whole := out.Bytes()
	for _, n := range []int{len(whole) - 1, len(whole) / 2, bufSize + 100, len(header)} {
		got, r := read(t, whole[:n])
		if lost, _ := r.Cut(); n < len(whole) && n > len(header) && lost == 0 {
			t.Errorf("%d of %d bytes: none are said to be lost", n, len(whole))
		}
		if n > 2*bufSize && len(got) == 0 {
			t.Errorf("%d of %d bytes: no events", n, len(whole))
		}
	}
}

func TestLimit(t *testing.T) {
	one := &Thread{Number: 1}
	out := record(t, 200<<10)
	for i := range uint64(1 << 20) {
		Access(event.Write, one, uint32(i*7), i*64)
	}
	Stop()
	if status, size := State(); status != Full || size != uint64(out.Len()) ||
		size > 200<<10+2*bufSize {
		t.Errorf("status %d, %d bytes, of %d", status, size, out.Len())
	}
	if got, _ := read(t, out.Bytes()); len(got) < 10000 {
		t.Errorf("only %d events", len(got))
	}
}

func TestFullDisk(t *testing.T) {
	one := &Thread{Number: 1}
	out := record(t, 0)
	host.Output = func(_ uintptr, p []byte) bool {
		if out.Len()+len(p) > 100<<10 {
			out.Write(p[:max(0, 100<<10-out.Len())])
			return false
		}
		out.Write(p)
		return true
	}
	for i := range uint64(1 << 18) {
		Access(event.Write, one, uint32(i*7), i*64)
	}
	Stop()
	if status, _ := State(); status != Failed {
		t.Errorf("status %d, want %d", status, Failed)
	}
	if got, _ := read(t, out.Bytes()); len(got) == 0 {
		t.Error("no events")
	}
}

// TestLayout wants the layout to be that of package spec, which this package can't import.
func TestLayout(t *testing.T) {
	if ringHeader != spec.RingHeader || ringStart != spec.RingStart ||
		headRoom != spec.RingChunkSize {
		t.Error("the layout of rings is not package spec's")
	}
	if Ignored != spec.Ignored || Meant != spec.Meant || ByLibrary != spec.ByLibrary ||
		Unused != spec.Unused || Shipped != spec.Shipped || Again != spec.Again {
		t.Error("the flags are not package spec's")
	}
	if header != spec.Header || headSize != spec.ChunkSize || bufSize > spec.MaxChunk ||
		events != spec.Events || defining != spec.Definitions {
		t.Error("the layout is not package spec's")
	}
}
