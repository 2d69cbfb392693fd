// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// knownMisses has the races that commute doesn't find, each with the reason.
//
//go:embed misses.txt
var knownMisses string

// parseMisses reads lines "name: reason"; those that begin with # are comments.
func parseMisses(text string) (map[string]string, error) {
	misses := make(map[string]string)
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(line, ":")
		reason = strings.TrimSpace(reason)
		switch {
		case !racy(name) || reason == "":
			return nil, fmt.Errorf(`misses.txt:%d: %q, want "TestRaceName: reason"`, number, line)
		case misses[name] != "":
			return nil, fmt.Errorf("misses.txt:%d: %s is listed twice", number, name)
		}
		misses[name] = reason
	}
	return misses, nil
}

// A score counts the judgements of one function in all runs.
type score struct {
	name  string
	runs  int
	times [undecided + 1]int // by judgement
	skips int
	bad   map[int]int    // runs that were wrong, by GOMAXPROCS
	lost  int            // runs that crashed, timed out or never were, without a report
	notes map[string]int // runs in which something was odd
}

// A tally has the scores of all functions under a tool.
type tally struct {
	tool   string
	runs   int
	cpus   []int
	misses map[string]string // known, with reasons
	scores map[string]*score
}

func newTally(tool string, cpus []int, misses map[string]string) *tally {
	return &tally{tool: tool, cpus: cpus, misses: misses, scores: make(map[string]*score)}
}

// add counts the results of a run. Functions whose names say nothing are left out.
func (t *tally) add(cpu int, results []result) {
	t.runs++
	for _, r := range results {
		if !judged(r.name) {
			continue
		}
		s := t.scores[r.name]
		if s == nil {
			s = &score{name: r.name, bad: make(map[int]int), notes: make(map[string]int)}
			t.scores[r.name] = s
		}
		s.runs++
		j := r.judge()
		s.times[j]++
		switch {
		case j == wrong:
			s.bad[cpu]++
		case j == undecided && r.end == skipped:
			s.skips++
		case j == undecided:
			s.lost++
		}
		if note := r.note(); note != "" {
			s.notes[note]++
		}
	}
}

// A summary has the sums over some of the functions. A function that was always skipped is in none
// but skipped.
type summary struct {
	functions, always, sometimes, never, skipped int // by how often the judgement was right
	right, runs                                  int // single runs, without those that skipped
}

// sum adds the scores that are chosen.
func (t *tally) sum(chosen func(name string) bool) (s summary) {
	for name, score := range t.scores {
		if !chosen(name) {
			continue
		}
		runs := score.runs - score.skips
		s.functions++
		s.right += score.times[right]
		s.runs += runs
		switch score.times[right] {
		case runs:
			if runs == 0 {
				s.skipped++
			} else {
				s.always++
			}
		case 0:
			s.never++
		default:
			s.sometimes++
		}
	}
	return s
}

func (s summary) percent() float64 {
	if s.runs == 0 {
		return 0
	}
	return 100 * float64(s.right) / float64(s.runs)
}

func mustReport(name string) bool { return racy(name) && !failing(name) }
func mustNot(name string) bool    { return judged(name) && !racy(name) && !failing(name) }

// ok says whether there is no false alarm, nothing that hides one, and enough races are found.
func (t *tally) ok(minimum float64) bool {
	for name, s := range t.scores {
		if mustNot(name) && s.times[wrong]+s.lost > 0 {
			return false
		}
	}
	races := t.sum(mustReport)
	return len(t.scores) > 0 && (races.runs == 0 || races.percent() >= minimum)
}

// print writes what was wrong or odd, function by function, and the sums.
func (t *tally) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d %s, GOMAXPROCS=%s\n", t.tool, t.runs, plural(t.runs, "run"),
		strings.Trim(fmt.Sprint(t.cpus), "[]"))
	t.section(w, "missed", func(s *score) string {
		if !mustReport(s.name) || s.times[wrong] == 0 {
			return ""
		}
		if reason := t.misses[s.name]; reason != "" {
			return t.wrongRuns(s) + "\tknown: " + reason
		}
		return t.wrongRuns(s) + "\t"
	})
	t.section(w, "false alarms", func(s *score) string {
		if !mustNot(s.name) || s.times[wrong] == 0 {
			return ""
		}
		return t.wrongRuns(s) + "\t"
	})
	t.section(w, "expected failing, by Go", func(s *score) string {
		if !failing(s.name) {
			return ""
		}
		return t.wrongRuns(s) + "\t"
	})
	t.section(w, "neither, or odd", func(s *score) string {
		var notes []string
		for _, note := range slices.Sorted(maps.Keys(s.notes)) {
			notes = append(notes, fmt.Sprintf("%s (%d of %d)", note, s.notes[note], s.runs))
		}
		return strings.Join(notes, "; ")
	})
	t.section(w, "known misses that were found every time", func(s *score) string {
		if t.misses[s.name] == "" || s.times[right] < s.runs {
			return ""
		}
		return "misses.txt need not have it"
	})
	races, others, rest := t.sum(mustReport), t.sum(mustNot), t.sum(failing)
	fmt.Fprintf(w, "%s: Race %s: %d found every time, %d sometimes, %d never (%.1f%% of %d runs); "+
		"%d skipped\n",
		t.tool, count(races), races.always, races.sometimes, races.never, races.percent(),
		races.runs, races.skipped)
	fmt.Fprintf(w, "%s: NoRace %s: %d silent every time, %d sometimes, %d never; %d skipped\n",
		t.tool, count(others), others.always, others.sometimes, others.never, others.skipped)
	fmt.Fprintf(w, "%s: expected failing %s: %d right every time, %d sometimes\n",
		t.tool, count(rest), rest.always, rest.sometimes)
}

// section prints the functions for which say has a remark, if there are any.
func (t *tally) section(w io.Writer, title string, say func(*score) string) {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	n := 0
	for _, name := range slices.Sorted(maps.Keys(t.scores)) {
		text := say(t.scores[name])
		if text == "" {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintf(w, "%s:\n", title)
		}
		fmt.Fprintf(tw, "\t%s\t%s\n", name, strings.TrimRight(text, "\t"))
	}
	_ = tw.Flush()
}

// wrongRuns says in how many runs the function was judged wrong, and with which GOMAXPROCS if there
// are several.
func (t *tally) wrongRuns(s *score) string {
	text := fmt.Sprintf("%d of %d %s", s.times[wrong], s.runs, plural(s.runs, "run"))
	if len(t.cpus) < 2 || s.times[wrong] == 0 {
		return text
	}
	var parts []string
	for _, cpu := range t.cpus {
		parts = append(parts, fmt.Sprintf("%d with %d", s.bad[cpu], cpu))
	}
	return text + " (" + strings.Join(parts, ", ") + ")"
}

func count(s summary) string {
	return fmt.Sprintf("%d %s", s.functions, plural(s.functions, "function"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
