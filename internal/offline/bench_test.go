// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/generate"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// makeFile writes a generated trace, or what is left of it without some kinds of events.
func makeFile(t testing.TB, name string, p generate.Params, without ...event.Kind) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	g, err := generate.New(p)
	if err != nil {
		t.Fatal(err)
	}
	w, err := tracefile.Create(name, "", spec.S2, g.Tables())
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]event.Event, 4096)
	for {
		n, err := g.Read(buf)
		if err != nil {
			break
		}
		left := slices.DeleteFunc(slices.Clone(buf[:n]), func(e event.Event) bool {
			return slices.Contains(without, e.Op)
		})
		if err := w.Write(left); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

const benchEvents = 1000000

// benchCheck measures a check of a trace.
func benchCheck(b *testing.B, name, check string) {
	b.ReportAllocs()
	c, _ := Find(check)
	for range b.N {
		f, err := tracefile.Open(name, "")
		if err != nil {
			b.Fatal(err)
		}
		var count atomic.Uint64
		if _, err := Run(f, Options{Checks: []Check{c}}, &count); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
	b.ReportMetric(benchEvents*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkNoTransactions has a trace without transactions. What looks for them has nothing to do.
func BenchmarkNoTransactions(b *testing.B) {
	p := generate.Params{Shape: "locked", Events: benchEvents, Seed: 1}
	name := makeFile(b, "x.trace", p, event.Begin, event.End)
	for _, check := range []string{"frontier", "transactions", "metainfo"} {
		b.Run(check, func(b *testing.B) { benchCheck(b, name, check) })
	}
}

func BenchmarkRun(b *testing.B) {
	for _, shape := range []string{"locked", "independent", "variables", "threads"} {
		for _, ext := range []string{"std", "trace"} {
			p := generate.Params{Shape: shape, Events: benchEvents, Seed: 1}
			name := makeFile(b, "x."+ext, p)
			for _, check := range []string{
				"frontier", "transactions", "aerodrome", "fasttrack", "metainfo",
			} {
				b.Run(shape+"/"+ext+"/"+check, func(b *testing.B) { benchCheck(b, name, check) })
			}
		}
	}
}
