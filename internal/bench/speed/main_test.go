// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

func TestRead(t *testing.T) {
	table := &table{numbers: make(map[result]map[string][]float64)}
	table.read("plain", `goos: linux
BenchmarkMapHistory/1000-2       	  158734	        82.88 ns/op
BenchmarkLive100k-2              	       1	 376236132 ns/op	      2714 B/goroutine
PASS
`)
	table.read("plain", "BenchmarkLive100k \t 1\t 400000000 ns/op\t 2715 B/goroutine\n")
	want := []result{{"MapHistory/1000", "ns/op"}, {"Live100k", "ns/op"},
		{"Live100k", "B/goroutine"}}
	if !slices.Equal(table.order, want) {
		t.Errorf("read %v, want %v", table.order, want)
	}
	if got := table.numbers[want[2]]["plain"]; !slices.Equal(got, []float64{2714, 2715}) {
		t.Errorf("%v = %v", want[2], got)
	}
}

func TestFormat(t *testing.T) {
	for x, want := range map[float64]string{0: "-", 0.6191: "0.619", 15.09: "15.1",
		376236132: "376236132"} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %s, want %s", x, got, want)
		}
	}
	if got := ratio(3, 2); got != "1.50x" {
		t.Errorf("ratio(3, 2) = %s", got)
	}
	if got := ratio(3, 0); got != "-" {
		t.Errorf("ratio(3, 0) = %s", got)
	}
}

func TestMean(t *testing.T) {
	table := &table{numbers: make(map[result]map[string][]float64)}
	table.read("datarace",
		"BenchmarkA-2\t1\t10 ns/op 7 B/op\nBenchmarkB-2\t1\t80 "+
			"ns/op\nBenchmarkNotFinished-2\t1\t5 ns/op\n")
	table.read("race", "BenchmarkA-2\t1\t20 ns/op 1 B/op\nBenchmarkB-2\t1\t10 ns/op\n")
	if mean, n := table.mean("datarace", "race"); n != 2 || math.Abs(mean-2) > 1e-9 {
		t.Errorf("mean = %v of %d, want 2 of 2", mean, n)
	}
	if mean, n := table.mean("commute", "race"); mean != 0 || n != 0 {
		t.Errorf("mean = %v of %d, want none", mean, n)
	}
}

// TestReadTraces has a trace of two chunks, with three steps.
func TestReadTraces(t *testing.T) {
	b := build{name: "trace", trace: t.TempDir()}
	var file bytes.Buffer
	w, err := raw.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []raw.Chunk{
		{Kind: spec.Events, Steps: 2, First: 0, Low: 2, Payload: []byte{3, 0, 3, 0}},
		{Kind: spec.Events, Steps: 1, First: 2, Low: 3, Payload: []byte{3, 0}},
	} {
		if err := w.Write(&c); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(b.trace, "x.1.trace")
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	table := &table{numbers: make(map[result]map[string][]float64)}
	if err := table.readTraces(b, "BenchmarkX", 2*time.Second); err != nil {
		t.Fatal(err)
	}
	n := float64(file.Len())
	for unit, want := range map[string]float64{"B/step": n / 3, "MB/s": n / 2e6} {
		if got := table.numbers[result{"X", unit}]["trace"]; !slices.Equal(got, []float64{want}) {
			t.Errorf("%s = %v, want %v", unit, got, want)
		}
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the trace is still there: %v", err)
	}
	if err := os.WriteFile(path, []byte("none"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := table.readTraces(b, "BenchmarkX", time.Second); err == nil {
		t.Error("what is no trace is taken for one")
	}
}
