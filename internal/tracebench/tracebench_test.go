// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"testing"
	"time"

	"github.com/commutego/commute/trace/generate"
)

func TestFit(t *testing.T) {
	slope, r2 := fit([]point{{1, 5}, {2, 7}, {3, 9}, {10, 23}})
	if math.Abs(slope-2) > 1e-9 || math.Abs(r2-1) > 1e-9 {
		t.Errorf("the slope is %v, R² %v, want 2 and 1", slope, r2)
	}
	slope, r2 = fit([]point{{0, 1}, {1, 0}, {2, 1}})
	if math.Abs(slope) > 1e-9 || r2 > 1e-9 {
		t.Errorf("the slope is %v, R² %v, want 0 and 0", slope, r2)
	}
}

func TestPlotIsXML(t *testing.T) {
	d := xml.NewDecoder(bytes.NewReader(plot([]string{"a", "b"}, [][]point{{{1, 2}, {3, 4}}, {}})))
	lines := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "polyline" {
			lines++
		}
	}
	if lines != 2 {
		t.Errorf("%d curves, want 2", lines)
	}
}

// TestProgramsCanBeMade wants each row of the paper's table to be one that can be generated.
func TestProgramsCanBeMade(t *testing.T) {
	for _, p := range programs {
		g := p.params(20000)
		if g.Events > 20000 || g.Events == 0 {
			t.Errorf("%s has %d events", p.name, g.Events)
		}
		if _, err := generate.New(g); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

func TestTimes(t *testing.T) {
	a, b, late := result{took: time.Second}, result{took: 3 * time.Second}, result{timeout: true}
	for want, got := range map[string]string{"3x": a.times(b), "more": a.times(late), "": late.times(a), "5 M/s": a.rate(5e6)} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
