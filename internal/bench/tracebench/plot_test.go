// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parse wants a plot to be XML, and all that is drawn to be inside of it; it returns how many there
// are of each element, and the texts.
func parse(t *testing.T, plot []byte) (elements map[string]int, texts []string) {
	t.Helper()
	elements = make(map[string]int)
	var width, height float64
	d := xml.NewDecoder(bytes.NewReader(plot))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return elements, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.CharData:
			if s := strings.TrimSpace(string(e)); s != "" {
				texts = append(texts, s)
			}
		case xml.StartElement:
			elements[e.Name.Local]++
			for _, a := range e.Attr {
				v, err := strconv.ParseFloat(a.Value, 64)
				switch name := a.Name.Local; {
				case e.Name.Local == "svg" && name == "width":
					width = v
				case e.Name.Local == "svg" && name == "height":
					height = v
				case err == nil && (math.IsNaN(v) || v < 0 || v > max(width, height)),
					strings.HasSuffix(name, "x") && v > width, strings.HasSuffix(name, "y") &&
						v > height:
					t.Errorf("%s %s=%s, in a picture of %v by %v",
						e.Name.Local, name, a.Value, width, height)
				}
			}
		}
	}
}

func TestPlotCurves(t *testing.T) {
	elements, texts := parse(t, plotCurves("events", "<seconds>", []string{"a", "b"},
		[][]point{{{1000, 2}, {3000, 4}}, {}}))
	if elements["polyline"] != 2 || elements["circle"] != 2 {
		t.Errorf("got %v, want two curves, with two points", elements)
	}
	for _, want := range []string{"events", "<seconds>", "a", "b", "3k", "4"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
	parse(t, plotCurves("", "", nil, nil))
}

func TestPlotBars(t *testing.T) {
	elements, texts := parse(t, plotBars("times", []string{"one", "two"},
		[]bars{{"first", []float64{1.5, 12}}, {"a name that is longer than a line may be, in fact",
			[]float64{0, 0.5}}}))
	if elements["rect"] != 1+2+3 { // the ground, the legend, the bars
		t.Errorf("got %v", elements)
	}
	for _, want := range []string{"1.5", "12", "0.5", "a name that is longer than a", "times"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
}

func TestPlotDots(t *testing.T) {
	plot := plotDots("seconds", []string{"v", "a"},
		[]dots{{"x", []float64{60, 0.25}, []bool{true, false}}, {"y", []float64{0.004, 0.25},
			[]bool{false, false}}})
	elements, texts := parse(t, plot)
	if elements["circle"] != 4 || bytes.Count(plot, []byte(`r="5" fill="white"`)) != 1 {
		t.Errorf("got %v, want four dots, one of them hollow", elements)
	}
	for _, want := range []string{"0.001", "100", "x", "y", "v", "a", "seconds"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
}

func TestTicks(t *testing.T) {
	for most, want := range map[float64]string{
		1e6: "[0 200000 400000 600000 800000 1e+06]", 7: "[0 2 4 6 8]",
		0.3:  "[0 0.05 0.1 0.15000000000000002 0.2 0.25 0.30000000000000004]",
		16.8: "[0 5 10 15 20]", 1: "[0 0.2 0.4 0.6000000000000001 0.8 1]",
		0: "[0 0.2 0.4 0.6000000000000001 0.8 1]",
	} {
		if got := fmt.Sprint(ticks(most)); got != want {
			t.Errorf("ticks(%v) = %v, want %v", most, got, want)
		}
	}
	if got := fmt.Sprint(powers(0.004, 60)); got != "[0.001 0.01 0.1 1 10 100]" {
		t.Errorf("powers = %v", got)
	}
	if got := fmt.Sprint(powers(1, 1)); got != "[1 10]" {
		t.Errorf("powers = %v", got)
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.15000000000000002: "0.15", 7: "7", 1000: "1k",
		1e6: "1M", 1234567: "1.23M", 2.4e9: "2.4G", 999: "999", 999980: "1M", 8624: "8.62k"} {
		if got := short(x); got != want {
			t.Errorf("short(%v) = %s, want %s", x, got, want)
		}
	}
}
