// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"

	engine "github.com/commutego/commute/internal/engine/explore"
)

const (
	// mostBases is how many runs are kept, the last ones, by which others are predicted.
	mostBases = 256
	// mostTried is about how many steps are made to predict a schedule: more would take longer than
	// to run it.
	mostTried = 1 << 14
	// mostForeseen is how many schedules are predicted before something is run, or the time is
	// looked at.
	mostForeseen = 1 << 10
	// mostPoints is how many points a run has by which others are predicted. With more, a lock may
	// be handed on to who has waited for a millisecond of the program's time, which all points
	// make.
	mostPoints = 4000
	// mostLater is how many schedules are put off at once.
	mostLater = 1 << 12
)

// A foresight is what a search knows of schedules that it has not run.
type foresight struct {
	bases    []run                              // that were made, and whose steps are known
	foreseen int                                // schedules that were predicted
	out      map[turning]int                    // where schedules are forced last that are being run
	foresaw  func(forces []engine.Force, r run) // for tests: comes for each; nil for none
}

// A turning is a decision of a run of the search.
type turning struct {
	parent   int32
	decision uint32
}

// learn takes a run by which others may be predicted.
func (f *foresight) learn(r run) {
	if r.steps == nil || !r.ended || r.arrivals > 0 || r.points > mostPoints {
		return
	}
	if len(f.bases) == mostBases {
		f.bases = slices.Delete(f.bases, 0, 1)
	}
	f.bases = append(f.bases, r)
}

// handOut notes that a schedule is being run, and comeBack that it no longer is.
func (f *foresight) handOut(n node) {
	if f.out == nil {
		f.out = make(map[turning]int)
	}
	f.out[turning{n.parent, n.decision}]++
}

func (f *foresight) comeBack(n node) {
	at := turning{n.parent, n.decision}
	if f.out[at]--; f.out[at] <= 0 {
		delete(f.out, at)
	}
}

// near reports whether a schedule may be predicted by one that is being run: the one that switches
// at the decision before, or after. It is put off till that is known.
func (f *foresight) near(n node) bool {
	return len(f.bases) > 0 && (f.out[turning{n.parent, n.decision - 1}] > 0 ||
		f.out[turning{n.parent, n.decision + 1}] > 0)
}

// foresee predicts a schedule, if it can, and notes the run as one that was made.
func (s *search) foresee(n node) bool {
	forces := append(slices.Clone(s.runs[n.parent]), engine.Force{Decision: n.decision,
		Choice: n.choice})
	for i, tried := len(s.bases)-1, 0; i >= 0 && tried < mostTried; i-- {
		r, made := s.bases[i].predict(forces)
		tried += made
		if r == nil || r.prefix != n.hash {
			continue
		}
		s.kept--
		s.foreseen++
		if s.foresaw != nil {
			s.foresaw(forces, *r)
		}
		r.steps = nil // the other run's are kept
		s.extend(forces, *r)
		return true
	}
	return false
}
