// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// applies says why a run is not the one of a file, "" if it has made each of its forced decisions.
// Lines of the source don't matter: they move with each change.
func (f *File) applies(r *run, dir string) string {
	if r.log == nil {
		return "nothing is known of the run"
	}
	made := r.log.decisions(dir)
	for _, d := range f.Decisions {
		at := slices.IndexFunc(made, func(m decided) bool { return m.Decision == d.Decision })
		if at < 0 {
			return fmt.Sprintf("it forces decision %d, and the run has %s", d.Decision,
				count(len(made), "decision"))
		}
		switch got := made[at]; {
		case d.Choice >= got.of:
			return fmt.Sprintf("decision %d, after %s, is among %d goroutines, and it chooses "+
				"number %d", d.Decision, count(got.point, "point"), got.of, d.Choice+1)
		case !d.From.alike(got.From) || !d.To.alike(got.To):
			return fmt.Sprintf("decision %d, after %s, is another one: expected %v, then %v; there "+
				"is %v, then %v", d.Decision, count(got.point, "point"), d.From.text(),
				d.To.text(), got.From.text(), got.To.text())
		}
	}
	return ""
}

// alike reports whether two are of a goroutine that is about to do the same.
func (s Stand) alike(o Stand) bool { return s.Goroutine == o.Goroutine && s.Kind == o.Kind }

// text is where a goroutine is, for users.
func (s Stand) text() string {
	switch {
	case s == none:
		return "nobody"
	case s.Place == "-":
		return "goroutine " + s.Goroutine + " at its begin"
	}
	return fmt.Sprintf("goroutine %s at %s (%s)", s.Goroutine, s.Place, s.Kind)
}

// differs says where a run goes another way than that of the file, "" if it doesn't.
func (f *File) differs(r *run, dir string) string {
	text := f.applies(r, dir)
	switch {
	case text != "":
	case r.ended && (r.hash != f.Hash || r.points != f.Points):
		text = fmt.Sprintf("all that it forces was done, and then the run has gone another way: it "+
			"has %s, and not %d", count(r.points, "point"), f.Points)
	default:
		return ""
	}
	return text + r.outside(f.Arrivals)
}

// notes compares a replayed run with the file, or else the seeds, that it was to go by.
func notes(b *Binary, p processPlan, ran *batch, plan Plan, kept *record,
	build string) ([]string, error) {
	last := ran.last()
	if last != len(ran.seeds)-1 {
		return nil, nil
	}
	r, dir := &ran.runs[last], b.here()
	if plan.file != nil {
		if text := plan.file.differs(r, dir); text != "" {
			name := plan.File
			if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
				name = rel
			}
			return []string{"the run is not that of " + name + ": " + text}, nil
		}
		return nil, nil
	}
	var list []string
	if forces := ran.seeds[last].Forces; r.ended && r.forced < len(forces) {
		list = append(list, fmt.Sprintf("the seed is of another program: it forces %s, and %d of "+
			"them came", count(len(forces), "decision"), r.forced))
	}
	text, err := compareReplay(b, p, ran, kept, build)
	if text != "" {
		list = append(list, text)
	}
	return list, err
}

// keep writes the schedules of failures where the plan says.
func (r *Result) keep(plan Plan, dir string) {
	if r.Failure == nil {
		return
	}
	for _, f := range append([]*Failure{r.Failure}, r.More...) {
		f.keep(r.Test, plan, dir)
	}
}

// keep writes the schedule of a failure where the plan says, and notes the file's name, or why
// there is none: the failure is reported all the same.
func (f *Failure) keep(test string, plan Plan, dir string) {
	if plan.Keep == "" || f.Schedule == nil || !f.Again {
		return
	}
	if len(f.Seeds) > 1 {
		f.kept = "the schedule is not kept: it needs the runs before it"
		return
	}
	folder := plan.Keep
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(dir, folder)
	}
	file := f.Schedule.file(plan.version, plan.Package, test, dir)
	name, err := file.Keep(folder, append([]string{f.Schedule.line()}, f.Schedule.diagram()...))
	if err != nil {
		f.kept = fmt.Sprintf("the schedule is not kept: %v", err)
		return
	}
	if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	f.kept = "kept: " + name
}

// here is the folder in which tests of a binary run.
func (b *Binary) here() string {
	if b.Dir != "" {
		return b.Dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// A keptRun is what has become of a schedule that is kept.
type keptRun struct {
	Result
	note string // why it no longer applies
	gone bool   // so it could not be run
}

// replayKept runs the test of a file by its schedule.
func replayKept(b *Binary, plan Plan, name string) (*keptRun, error) {
	dir := b.here()
	f, err := ReadFile(name)
	if err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(dir, name); err == nil {
		name = rel
	}
	k := &keptRun{Result: Result{Test: f.Test, Runs: 1, file: name}}
	all := *b
	all.Run = ""
	tests, err := all.Tests()
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(tests, f.Test):
		k.note, k.gone = fmt.Sprintf("there is no test %s", f.Test), true
		return k, nil
	}
	start := time.Now()
	seed := f.Seed()
	ran, err := b.process(processPlan{test: f.Test, timeout: plan.Timeout, log: true,
		seeds: []Seed{seed}, told: []string{tellArrivals(f.Arrivals, false)}})
	if err != nil {
		return nil, err
	}
	k.Elapsed = time.Since(start)
	if len(ran.runs) > 0 {
		k.note = f.applies(&ran.runs[0], dir)
	}
	if ran.failed {
		k.Failure = &Failure{Run: 1, Seeds: []Seed{seed}, Again: true, Output: ran.output,
			Killed: ran.killed}
		if len(ran.runs) > 0 {
			k.Failure.Schedule = scheduleOf(&ran.runs[0], seed)
		}
	}
	return k, nil
}

// runKept runs tests by the schedules that are kept in the package's folder. It reports whether one
// has failed.
func runKept(b *Binary, plan Plan, w *writer) (failed bool, err error) {
	files, err := Files(b.here())
	if err != nil {
		return false, err
	}
	wanted, err := b.Tests()
	if err != nil {
		return false, err
	}
	var lines []string
	for _, name := range files {
		test := filepath.Base(filepath.Dir(name))
		if b.Run != "" && !slices.Contains(wanted, test) {
			continue
		}
		k, err := replayKept(b, plan, name)
		if err != nil {
			return false, err
		}
		if !k.gone {
			w.begin(test)
			w.end(&k.Result, plan)
			failed = failed || k.Failure != nil
			lines = append(lines, "kept "+passed(k.Failure == nil))
		}
		if k.note != "" {
			lines = append(lines, fmt.Sprintf("note %s: %s no longer applies: %s; find it anew "+
				"with -explore, or remove it", plan.Package, k.file, k.note))
		}
		if failed && plan.Fast {
			break
		}
	}
	if plan.Told == "" {
		return failed, nil
	}
	return failed, tell(plan.Told, lines)
}

func passed(ok bool) string {
	if ok {
		return "passed"
	}
	return "failed"
}
