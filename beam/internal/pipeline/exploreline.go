// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/explore"
)

// An ExploredLine is one of the output of exploration: a failure, a package with an error, what was
// covered, or at the end the summary.
type ExploredLine struct {
	Version     int      `json:"version"`               // [Version]
	Fingerprint string   `json:"fingerprint,omitempty"` // of the failure
	Package     string   `json:"package,omitempty"`
	Test        string   `json:"test,omitempty"`
	Shards      []string `json:"shards,omitempty"` // in which the test has failed in this way
	Shard       string   `json:"shard,omitempty"`  // the one in which it has done so first
	Run         int      `json:"run,omitempty"`    // at which run of that
	Output      string   `json:"output,omitempty"` // the report of it

	Error string `json:"error,omitempty"` // why the package, or a shard of it, was not explored

	Cover string `json:"cover,omitempty"` // the text of a file of -explore_cover

	Summary *ExploredSummary `json:"summary,omitempty"`
}

// An ExploredSummary is what is to be said of all packages together.
type ExploredSummary struct {
	Packages int `json:"packages"`
	Failed   int `json:"failed"` // of them: they have a line with an error
	Tests    int `json:"tests"`
	Runs     int `json:"runs"`
	Failures int `json:"failures"` // different ones
	Both     int `json:"both"`     // pairs of operations that were seen in both orders
	Pairs    int `json:"pairs"`
}

// String is the summary in words.
func (s *ExploredSummary) String() string {
	text := fmt.Sprintf("%s, %s, %s, %s\n", count(s.Packages, "package"), count(s.Tests, "test"),
		count(s.Runs, "run"), count(s.Failures, "failure"))
	if s.Failed > 0 {
		text += count(s.Failed, "package") + " with an error\n"
	}
	return text + fmt.Sprintf("%d of %s of operations seen in both orders\n", s.Both,
		count(s.Pairs, "pair"))
}

// exploredLines are all lines of the output, in their order. Which parts came twice, or in which
// order they came, makes no difference; one that has not come is an error.
func exploredLines(list []task, parts []*part) ([]*ExploredLine, error) {
	came := make(map[task]*part)
	for _, p := range parts {
		came[p.Task] = p
	}
	s := new(ExploredSummary)
	var cover explore.Cover
	failures, wrong := make(map[string]*ExploredLine), make(map[string]string)
	packages := make(map[string]bool)
	for _, t := range list {
		packages[t.Package] = true
		p := came[t]
		if p == nil {
			p = &part{Task: t, Error: fmt.Sprintf("%s: shard %v has got lost", t.Package, t.Shard)}
		}
		if p.Error != "" {
			wrong[t.Package] = cmp.Or(wrong[t.Package], p.Error)
			continue
		}
		if p.Cover != "" {
			c, err := explore.ParseCover(t.Package, []byte(p.Cover))
			if err != nil {
				return nil, err
			}
			cover.Merge(c)
		}
		for _, f := range p.Failures {
			noteFailure(failures, t, f)
		}
	}
	var lines []*ExploredLine
	for _, l := range failures {
		lines = append(lines, l)
	}
	for name, text := range wrong {
		lines = append(lines, &ExploredLine{Version: Version, Package: name, Error: text})
	}
	slices.SortFunc(lines, compareExplored)
	s.Packages, s.Failed, s.Failures = len(packages), len(wrong), len(failures)
	s.Tests, s.Runs = cover.Totals()
	s.Both, s.Pairs = cover.Pairs()
	return append(lines, &ExploredLine{Version: Version, Cover: string(cover.Format())},
		&ExploredLine{Version: Version, Summary: s}), nil
}

// compareExplored orders failures before errors, and each by names.
func compareExplored(a, b *ExploredLine) int {
	return cmp.Or(strings.Compare(min(a.Error, "e"), min(b.Error, "e")),
		strings.Compare(a.Package, b.Package), strings.Compare(a.Test, b.Test),
		strings.Compare(a.Fingerprint, b.Fingerprint))
}

// noteFailure adds a failure to those of other parts. Of those with the same key, the report of the
// one that came after the fewest runs is kept.
func noteFailure(failures map[string]*ExploredLine, t task, f failure) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", t.Package, f.Test, f.Key))
	print := fmt.Sprintf("%x", sum[:16])
	shard := fmt.Sprintf("%d/%d", t.Shard.Index, t.Shard.Of)
	l := failures[print]
	if l == nil {
		l = &ExploredLine{Version: Version, Fingerprint: print, Package: t.Package, Test: f.Test}
		failures[print] = l
	}
	if !slices.Contains(l.Shards, shard) {
		l.Shards = append(l.Shards, shard)
	}
	if l.Shard == "" || f.Run < l.Run {
		l.Shard, l.Run, l.Output = shard, f.Run, f.Output
	}
}

// writeExploredFn writes the output. If it is repeated, it writes the same once more.
type writeExploredFn struct {
	Out   string
	Tasks []byte
}

func (fn *writeExploredFn) ProcessElement(ctx context.Context, _ int,
	parts func(*[]byte) bool) error {
	var list []task
	if err := decode(fn.Tasks, &list); err != nil {
		return err
	}
	came, err := decodeAll[*part](parts)
	if err != nil {
		return err
	}
	lines, err := exploredLines(list, came)
	if err != nil {
		return err
	}
	return writeLines(ctx, fn.Out, lines)
}

// ReadExplored reads what a pipeline has written, the summary last. Each line is handed to take as
// it was written, too.
func ReadExplored(ctx context.Context, name string, take func(*ExploredLine, []byte) error,
) (*ExploredSummary, error) {
	return readLines(ctx, name, func(l *ExploredLine, data []byte) (*ExploredSummary, error) {
		return l.Summary, take(l, data)
	})
}
