// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"path"

	"github.com/commutego/commute/report"
)

// schedule draws the schedule of an explored test.
func schedule(s *report.Schedule) explored {
	v := explored{Title: s.Test, Replay: s.Replay, Lanes: []lane{}, Events: []event{}}
	lanes := make(map[string]int)
	order := make([]int, len(s.Steps))
	for i, step := range s.Steps {
		n, ok := lanes[step.Goroutine]
		if !ok {
			n = len(v.Lanes)
			lanes[step.Goroutine] = n
			v.Lanes = append(v.Lanes, lane{Name: step.Goroutine})
		}
		e := event{Lane: n, Text: step.Does, Forced: step.Forced, Place: step.At}
		if _, _, ok := splitPlace(step.At); ok {
			e.Place = path.Base(step.At)
		}
		v.Events = append(v.Events, e)
		order[i] = i
	}
	v.Charts = []chart{{Title: "The schedule", Order: order}}
	return v
}
