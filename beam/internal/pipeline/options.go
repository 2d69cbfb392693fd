// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// Options are those of "commute analyze", as plain data that workers get.
type Options struct {
	Checks       []string // nil: what a trace may have data for
	All          bool
	Level        string // "": updates
	Suppressions string // the text of the file
	Format       string
	Mutexes      *bool
	AVP          avp.Options
}

// offline are the options for one trace.
func (o *Options) offline() (offline.Options, error) {
	r := offline.Options{
		All: o.All, Mutexes: o.Mutexes, Level: offline.Levels["updates"], AVP: o.AVP,
		Rules: offline.ParseRules(o.Suppressions), Guarded: true,
	}
	if o.Level != "" {
		if r.Level = offline.Levels[o.Level]; r.Level == 0 {
			return r, fmt.Errorf("unknown level %q (there are violations, updates, races, all)",
				o.Level)
		}
	}
	if o.Format != "" && !slices.Contains(tracefile.Formats, o.Format) {
		return r, fmt.Errorf("unknown format %q (want %s)", o.Format,
			strings.Join(tracefile.Formats, ", "))
	}
	if o.Checks == nil {
		return r, nil
	}
	var err error
	r.Checks, err = offline.Named(o.Checks)
	return r, err
}

// Check reports what is wrong with the options.
func (o *Options) Check() error {
	_, err := o.offline()
	return err
}
