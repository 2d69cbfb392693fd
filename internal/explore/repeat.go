// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"path"
	"strings"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A Repetition says how often a test is run, and by which seeds.
type Repetition struct {
	Processes int           // each makes all the runs
	Seeds     []Seed        // of the runs
	Timeout   time.Duration // of a run, 0 for none
}

// A Repeated has the results of a repetition.
type Repeated struct {
	Processes int // processes with data about a run
	Same      int // processes whose runs have the most frequent hashes
	Failed    int // processes in which the test has failed
	Killed    int // processes that took too long
	Arrivals  int // from outside, in all runs
	Points    int // in the runs of the first process
	// Differ says, in several lines, where the runs of two processes differ. It is "" if no runs
	// differ, or if none did when they were repeated.
	Differ string
}

// DrawnSeeds returns the seed of the default run of a test, and a drawn seed for each of the
// policies.
func DrawnSeeds(test string, base uint64, policies ...engine.Policy) []Seed {
	list := []Seed{{Policy: engine.First}}
	for i, p := range policies {
		s := drawn(base, test, i)
		s.Policy, s.Forces = p, nil
		list = append(list, s)
	}
	return list
}

// Repeat makes a repetition of a test, in one process after the other. If runs differ, it repeats
// them with logs, to find where they differ. It ends early if a process takes too long.
func (b *Binary) Repeat(test string, r Repetition) (sum Repeated, err error) {
	counts := make(map[string]int)
	for range r.Processes {
		ran, err := b.batch(test, r.Timeout, r.Seeds)
		if err != nil {
			return sum, err
		}
		sum.add(ran, counts)
		if ran.killed {
			break // the others would take as long
		}
	}
	if len(counts) > 1 {
		sum.Differ, err = b.findDifference(test, r)
	}
	return sum, err
}

// findDifference makes runs with logs until two processes differ, and says where.
func (b *Binary) findDifference(test string, r Repetition) (string, error) {
	var first *batch
	for range r.Processes {
		ran, err := b.process(processPlan{test: test, timeout: r.Timeout, log: true, seeds: r.Seeds})
		if err != nil {
			return "", err
		}
		if first == nil {
			first = ran
		}
		if text := firstDifference(first, ran); text != "" {
			return text, nil
		}
	}
	return "", nil
}

// add counts a process.
func (s *Repeated) add(ran *batch, counts map[string]int) {
	if ran.killed {
		s.Killed++
		return
	}
	if ran.failed {
		s.Failed++
	}
	if len(ran.runs) == 0 {
		return
	}
	if s.Processes++; s.Processes == 1 {
		for _, one := range ran.runs {
			s.Points += one.points
		}
	}
	for _, one := range ran.runs {
		s.Arrivals += one.arrivals
	}
	hashes := ran.hashes()
	counts[hashes]++
	s.Same = max(s.Same, counts[hashes])
}

// hashes are those of the runs of a batch.
func (b *batch) hashes() string {
	var list []string
	for _, one := range b.runs {
		list = append(list, one.hash)
	}
	return strings.Join(list, " ")
}

// triedTwice is how many processes make the runs of a failure once more, to see where they differ.
const triedTwice = 3

// stepsBefore is how many steps before the first difference are told.
const stepsBefore = 8

// firstDifference says where the runs of two batches go different ways, "" if they don't.
func firstDifference(a, b *batch) string {
	for i := range min(len(a.runs), len(b.runs)) {
		one, other := &a.runs[i], &b.runs[i]
		if one.hash == other.hash || one.log == nil || other.log == nil {
			continue
		}
		return fmt.Sprintf("run %d, by %v:\n", i+1, a.seeds[i]) +
			differingSteps(one.log.steps, other.log.steps)
	}
	return ""
}

// differingSteps tells the first step at which two runs differ, and some before it.
func differingSteps(one, other []step) string {
	at := 0
	for at < min(len(one), len(other)) && one[at].String() == other[at].String() {
		at++
	}
	var text strings.Builder
	for _, s := range one[max(0, at-stepsBefore):at] {
		fmt.Fprintf(&text, "  %v\n", s.told())
	}
	for _, log := range [][]step{one, other} {
		if at < len(log) {
			fmt.Fprintf(&text, "then %v\n", log[at].told())
		} else {
			text.WriteString("then nothing more\n")
		}
	}
	return text.String()
}

// told is a step as reports have it.
func (s step) told() string {
	switch {
	case s.kind != chosen:
		if s.at.file != "" {
			s.at.file = path.Base(s.at.file)
		}
		return s.String()
	case s.decision == 0:
		return s.name + " goes on"
	case s.from == "":
		return fmt.Sprintf("decision %d: %s goes on, one of %d", s.decision, s.name, s.of)
	}
	return fmt.Sprintf("decision %d: %s goes on after %s, one of %d", s.decision, s.name, s.from, s.of)
}
