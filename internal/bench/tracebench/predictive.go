// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/trace/generate"
	"github.com/commutego/commute/report"
)

// predictive are the checks that predict, and that prove.
var predictive = append(append([]string{"avp"}, provers...), "goodlock")

// A measured is what a check took for a trace, the least of several runs, and what it said.
type measured struct {
	trial
	memory string
}

// predictiveSpeed is the checks that predict and prove on a trace of each shape, and on traces that
// are there already.
func (o *Options) predictiveSpeed(w io.Writer) error {
	fmt.Fprintf(w, "## The checks that predict and prove\n\nSeconds of the processor's time for "+
		"`commute analyze -all`, reading included, and peak memory; the least of %s. Traces of %d "+
		"events, in STD.\n\n", plural(o.Rounds, "run"), o.Events)
	header(w, append([]string{"shape"}, predictive...)...)
	var names []string
	var list []map[string]*measured
	for _, shape := range generate.Shapes {
		file, err := o.gen(generate.Params{Shape: shape.Name, Events: o.Events}, "std")
		if err != nil {
			return err
		}
		all, err := o.measureAll(file)
		if err != nil {
			return err
		}
		names, list = append(names, shape.Name), append(list, all)
		printMeasured(w, shape.Name, all)
	}
	fmt.Fprintln(w)
	printOutcomes(w, names, list)
	if o.Traces == "" {
		return nil
	}
	return o.predictiveReal(w)
}

// predictiveReal is these checks on traces of a folder.
func (o *Options) predictiveReal(w io.Writer) error {
	files, err := filepath.Glob(filepath.Join(o.Traces, "*.trace"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("-traces %s: no file there has a name that ends in .trace", o.Traces)
	}
	if err != nil {
		return err
	}
	fmt.Fprint(w, "The same of recorded traces:\n\n")
	header(w, append([]string{"trace", "events", "transactions"}, predictive...)...)
	var names []string
	var list []map[string]*measured
	for _, file := range files {
		n, err := o.metainfo(file)
		if err != nil {
			return err
		}
		all, err := o.measureAll(file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".trace")
		names, list = append(names, name), append(list, all)
		printMeasured(w, strings.Join([]string{name, short(float64(n["events"])),
			short(float64(n["transactions"]))}, " | "), all)
	}
	fmt.Fprintln(w)
	printOutcomes(w, names, list)
	return nil
}

// measureAll has these checks look at a trace.
func (o *Options) measureAll(file string) (map[string]*measured, error) {
	all := make(map[string]*measured)
	for range o.Rounds {
		for _, check := range predictive {
			x, err := o.execute([]int{0, 1}, o.Commute, "analyze", "-json", "-all", "-check", check,
				file)
			if err != nil {
				return nil, err
			}
			m := &measured{}
			m.result, m.memory = x.result, x.result.memory()
			if !x.timeout {
				if err := m.read(x.stdout); err != nil {
					return nil, fmt.Errorf("-check %s %s: %w", check, file, err)
				}
			}
			if all[check] == nil || m.less(all[check]) {
				all[check] = m
			}
		}
	}
	return all, nil
}

// less reports whether a run took less than another of the same.
func (m *measured) less(n *measured) bool {
	return !m.timeout && (n.timeout || m.took < n.took)
}

// read takes what a check says of a trace, in JSON.
func (m *measured) read(text []byte) error {
	var x report.Trace
	if err := json.Unmarshal(text, &x); err != nil {
		return err
	}
	if x.Error != "" || len(x.Checks) != 1 {
		return fmt.Errorf("%d checks, %s", len(x.Checks), x.Error)
	}
	m.count(&x.Checks[0])
	return nil
}

func printMeasured(w io.Writer, name string, all map[string]*measured) {
	cells := []string{name}
	for _, check := range predictive {
		m := all[check]
		cells = append(cells, strings.TrimSuffix(m.seconds()+", "+m.memory, ", "))
	}
	row(w, cells...)
}

// printOutcomes prints what was found, where that is anything but proofs.
func printOutcomes(w io.Writer, names []string, list []map[string]*measured) {
	fmt.Fprint(w, "What they say of the transactions: proven / potential / unknown; of `avp` "+
		"filtered / found / none / gave up; and deadlocks, of `goodlock`.\n\n")
	columns := slices.Concat([]string{"trace"}, predictive)
	header(w, columns...)
	for i, all := range list {
		cells := []string{names[i], all["avp"].outcome()}
		for _, check := range provers {
			cells = append(cells, all[check].proof())
		}
		row(w, append(cells, all["goodlock"].cycles())...)
	}
	fmt.Fprintln(w)
}
