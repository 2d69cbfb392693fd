// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// An instance is a finding of one trace. Of a trace there is one for each fingerprint.
type instance struct {
	File    string
	Finding *report.Finding
}

// A merged is what has been found of one fingerprint.
type merged struct{ Line *Line }

var mergedType = reflect.TypeFor[merged]()

func encodeMerged(m merged) []byte { return encode(m) }

func decodeMerged(data []byte) (m merged, err error) {
	err = json.Unmarshal(data, &m)
	return m, err
}

// mergeFn merges the findings of a fingerprint. In which order they come makes no difference.
type mergeFn struct{}

func (*mergeFn) CreateAccumulator() merged { return merged{} }

func (*mergeFn) AddInput(m merged, data []byte) (merged, error) {
	var x instance
	if err := json.Unmarshal(data, &x); err != nil {
		return m, err
	}
	return merge(m, merged{&Line{Traces: 1, In: []string{x.File}, Finding: x.Finding}}), nil
}

func (*mergeFn) MergeAccumulators(a, b merged) merged { return merge(a, b) }

func (*mergeFn) ExtractOutput(m merged) []byte {
	m.Line.Version, m.Line.Fingerprint = Version, m.Line.Finding.Fingerprint()
	return encode(m.Line)
}

func merge(a, b merged) merged {
	switch {
	case a.Line == nil:
		return b
	case b.Line == nil:
		return a
	}
	x, y := a.Line, b.Line
	x.Traces += y.Traces
	x.In = append(x.In, y.In...)
	slices.Sort(x.In)
	x.In = x.In[:min(len(x.In), MaxIn)]
	if plainer(y.Finding, x.Finding) < 0 {
		x.Finding = y.Finding
	}
	return a
}

// plainer orders findings of one fingerprint: what happened is plainer than what could have, and of
// orders of events the one in which another thread goes on less often. The rest only has the choice
// depend on nothing else.
func plainer(a, b *report.Finding) int {
	return cmp.Or(
		cmp.Compare(rank(a.Evidence), rank(b.Evidence)),
		cmp.Compare(switches(a), switches(b)),
		strings.Compare(a.Where, b.Where),
		cmp.Compare(a.At.Number, b.At.Number),
		strings.Compare(string(encode(a)), string(encode(b))),
	)
}

// rank is from 0, of what happened, to 3, of any other evidence than these.
func rank(e report.Evidence) int {
	ranks := []report.Evidence{report.Observed, report.Race, report.Predicted}
	if i := slices.Index(ranks, e); i >= 0 {
		return i
	}
	return len(ranks)
}

func switches(f *report.Finding) int {
	if f.Witness == nil {
		return 0
	}
	return f.Witness.Switches
}

// instances are the findings of a trace, one for each fingerprint.
func instances(t *report.Trace) (prints []string, list []*report.Finding) {
	best := make(map[string]*report.Finding)
	for _, f := range t.Findings() {
		print := f.Fingerprint()
		if old := best[print]; old == nil {
			prints = append(prints, print)
		} else if plainer(old, f) <= 0 {
			continue
		}
		best[print] = f
	}
	for _, print := range prints {
		list = append(list, best[print])
	}
	return prints, list
}
