// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/generate"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// makeFile writes a generated trace.
func makeFile(t testing.TB, name string, p generate.Params) string {
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
		if err := w.Write(buf[:n]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func BenchmarkRun(b *testing.B) {
	const events = 1000000
	for _, shape := range []string{"locked", "independent", "variables", "threads"} {
		for _, ext := range []string{"std", "trace"} {
			name := makeFile(b, "x."+ext, generate.Params{Shape: shape, Events: events, Seed: 1})
			for _, check := range []string{
				"frontier", "transactions", "aerodrome", "fasttrack", "metainfo",
			} {
				b.Run(shape+"/"+ext+"/"+check, func(b *testing.B) {
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
					b.ReportMetric(events*float64(b.N)/b.Elapsed().Seconds(), "events/s")
				})
			}
		}
	}
}
