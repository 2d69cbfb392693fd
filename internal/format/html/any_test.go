// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/commutego/commute/report"
)

// TestAny has a page of whatever findings, also such as no check makes: each index leads somewhere.
func TestAny(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 1500 {
		run := new(report.Run)
		fillAny(reflect.ValueOf(run).Elem(), r)
		for _, f := range run.Findings { // the text, which is another package's, has these
			f.DecidedIn, f.Headline, f.Report = 0, "headline", "report"
		}
		p := dataOf(t, written(t, run))
		if n := len(run.Findings) + len(run.Failures); len(p.Findings) != n {
			t.Fatalf("%d findings of %d", len(p.Findings), n)
		}
		for i := range p.Findings {
			if err := whole(p, &p.Findings[i]); err != nil {
				t.Fatalf("%v, of %+v", err, p.Findings[i])
			}
		}
	}
}

// whole says what is wrong with the indexes of a finding.
func whole(p *page, f *finding) error {
	in := func(what string, i, n int) error {
		if i < 0 || i >= n {
			return fmt.Errorf("%s %d of %d", what, i, n)
		}
		return nil
	}
	var list []error
	for _, e := range f.Events {
		list = append(list, in("lane", e.Lane, len(f.Lanes)), in("stack", e.Stack, len(p.Stacks)+1))
	}
	for _, x := range f.Pairs {
		list = append(list, in("event", x.From, len(f.Events)), in("event", x.To, len(f.Events)))
	}
	for _, x := range f.Bands {
		list = append(list, in("lane", x.Lane, len(f.Lanes)), in("first of", 0, len(x.Events)))
		for _, e := range x.Events {
			list = append(list, in("event", e, len(f.Events)))
		}
	}
	for _, c := range f.Charts {
		order := slices.Sorted(slices.Values(c.Order))
		for i := range f.Events {
			if i >= len(order) || order[i] != i {
				list = append(list, fmt.Errorf("the order %v of %d events", c.Order, len(f.Events)))
				break
			}
		}
		list = append(list, in("first of", 0, len(c.Order)))
	}
	for _, x := range f.Source {
		list = append(list, in("excerpt", x.Excerpt, len(p.Excerpts)))
	}
	for _, l := range f.Report {
		list = append(list, in("line", l, len(p.Lines)))
	}
	return errors.Join(list...)
}

// fillAny sets all that is exported to something, with few values, so that many are the same.
func fillAny(v reflect.Value, r *rand.Rand) {
	kinds := []report.Kind{report.DataRace, report.AtomicityViolation, report.Deadlock,
		report.CheckThenActRace}
	evidences := []report.Evidence{report.Observed, report.Predicted, report.Race, report.Static}
	switch {
	case v.Type() == reflect.TypeFor[report.Kind]():
		v.SetString(string(kinds[r.IntN(len(kinds))]))
		return
	case v.Type() == reflect.TypeFor[report.Evidence]():
		v.SetString(string(evidences[r.IntN(len(evidences))]))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if r.IntN(3) > 0 || v.Type() == reflect.TypeFor[*report.Finding]() {
			v.Set(reflect.New(v.Type().Elem()))
			fillAny(v.Elem(), r)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillAny(v.Field(i), r)
		}
	case reflect.Slice:
		n := r.IntN(5) - 1
		if n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			fillAny(v.Index(i), r)
		}
	case reflect.Array:
		for i := range v.Len() {
			fillAny(v.Index(i), r)
		}
	case reflect.String:
		v.SetString([]string{"", "begin", "acquire", "release", "fork", "end", "T1", "T2", "a.go:3",
			"x.F"}[r.IntN(10)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int:
		v.SetInt(int64(r.IntN(12) - 3))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(r.IntN(6)))
	}
}
