// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// TestAppendToCut appends to a file whose last chunk lacks a byte. The chunk is not compressed, so
// a reader takes the steps that are whole; but the new chunk takes its place.
func TestAppendToCut(t *testing.T) {
	chunk := func(first uint64) *Chunk {
		var b Builder
		b.Reset(spec.Events, spec.Plain, first)
		for i := range uint64(3) {
			if err := b.Add(&Record{Kind: event.Read, Args: [spec.MaxArgs]uint64{i}}); err != nil {
				t.Fatal(err)
			}
		}
		return &b.Chunk
	}
	var file bytes.Buffer
	w, err := NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(chunk(1)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(name, file.Bytes()[:file.Len()-1], 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	told := 0
	if w, err = Append(f, func(*Chunk) error { told++; return nil }); err != nil || told != 0 {
		t.Fatalf("%v, and %d chunks are there", err, told)
	}
	if err := w.Write(chunk(1000)); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := r.Next(); err != nil || c.First != 1000 || c.Steps != 3 || r.Cut() != 0 {
		t.Errorf("%v, %v, and %d bytes are left", c, err, r.Cut())
	}
}
