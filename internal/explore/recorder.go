// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostRecords is how many records are kept.
const mostRecords = 64

// A recorder keeps records in a folder of the user's cache.
type recorder struct {
	dir   string // "" keeps none
	build string // the hash of the test binary
	pkg   string
}

// newRecorder is that of a test binary. What can't be read or written is left out.
func newRecorder(b *Binary, pkg string) *recorder {
	r := &recorder{pkg: pkg}
	f, err := os.Open(b.Path)
	if err != nil {
		return r
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return r
	}
	r.build = fmt.Sprintf("%x", sum.Sum(nil)[:16])
	if dir, err := os.UserCacheDir(); err == nil {
		r.dir = filepath.Join(dir, "commute", "replays")
	}
	return r
}

const recordEnding = ".run"

// name is the file of a run.
func (r *recorder) name(test string, seeds []Seed) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s %s", r.pkg, test, seedWords(seeds))
	return filepath.Join(r.dir, fmt.Sprintf("%x%s", sum.Sum(nil)[:12], recordEnding))
}

// keep writes the record of a run, and removes the oldest of those that are too many.
func (r *recorder) keep(test string, seeds []Seed, c *record) {
	if r.dir == "" || c == nil || os.MkdirAll(r.dir, 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(r.dir, "new-")
	if err != nil {
		return
	}
	_, err = f.WriteString(c.String())
	if err2 := f.Close(); err != nil || err2 != nil ||
		os.Rename(f.Name(), r.name(test, seeds)) != nil {
		os.Remove(f.Name())
	}
	r.trim()
}

func (r *recorder) trim() {
	names, _ := filepath.Glob(filepath.Join(r.dir, "*"+recordEnding))
	if len(names) <= mostRecords {
		return
	}
	when := make(map[string]int64)
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			when[name] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(when[a], when[b]) })
	for _, name := range names[:len(names)-mostRecords] {
		os.Remove(name)
	}
}

// find is the record of a run, nil if there is none.
func (r *recorder) find(test string, seeds []Seed) *record {
	if r.dir == "" {
		return nil
	}
	text, err := os.ReadFile(r.name(test, seeds))
	if err != nil {
		return nil
	}
	c, ok := parseRecord(string(text))
	if !ok {
		return nil
	}
	return c
}

// seedWords are seeds with commas between.
func seedWords(seeds []Seed) string {
	var words []string
	for _, s := range seeds {
		words = append(words, s.String())
	}
	return strings.Join(words, ",")
}

// remember keeps the records of failures, for replays.
func (r *Result) remember(b *Binary, plan Plan) {
	if r.Failure == nil || plan.Replay != "" {
		return
	}
	keeps := newRecorder(b, plan.Package)
	for _, f := range append([]*Failure{r.Failure}, r.More...) {
		if s := f.Schedule; s != nil && f.Again {
			ran := &run{ended: true, hash: s.Hash, points: s.Points, log: s.log}
			keeps.keep(r.Test, f.Seeds, recordOf(ran, keeps.build, b.here()))
		}
	}
}

// compareReplay compares a replayed run with the one that was reported, or else with another run by
// the same plan, and says what it finds.
func compareReplay(b *Binary, p processPlan, ran *batch, kept *record, build string) (string, error) {
	last := ran.last()
	r := &ran.runs[last]
	got := recordOf(r, build, b.here())
	if got == nil {
		return "", nil
	}
	if kept != nil {
		text := kept.differs(got, "expected", "got")
		if text == "" {
			return "", nil
		}
		if r.log.parting != nil {
			text += "; " + r.log.parting.text(kept.arrivals())
		}
		if kept.build != build {
			return "the program is not the one that the seed is of: " + text, nil
		}
		return "the run is not the one that was reported: " + text, nil
	}
	again, err := b.process(p)
	if err != nil || again.last() != last {
		return "", err
	}
	other := recordOf(&again.runs[last], build, b.here())
	if other == nil {
		return "", nil
	}
	text := "nothing is known here of the run that was reported; it was made twice: "
	if parts := got.differs(other, "one has", "the other"); parts != "" {
		return text + "the runs part at " + parts, nil
	}
	return text + fmt.Sprintf("the runs agree in all of %s", count(len(got.events), "event")), nil
}
