// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"context"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/commutego/commute/internal/explore"
)

// Exploration is a pipeline, too: an element is a package and a part of the runs of its tests, a
// shard. A worker has "commute test -explore" make them. What it finds is handed on when the part
// is done, as with traces.
//
//	packages x shards -> failures, and what was covered -> failures by their keys, one cover -> lines

func init() {
	register.DoFn3x0[context.Context, []byte, func([]byte)](&exploreFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&writeExploredFn{})
}

// ExploreOptions are how tests are explored, as plain data that workers get.
type ExploreOptions struct {
	Commute string   // the command
	Dir     string   // the folder of the module, "" for the current one
	Explore string   // the value of -explore
	Shards  int      // parts of the runs of each package
	Flags   []string // others of commute test
}

// A task is a part of the runs of a package's tests.
type task struct {
	Package string
	Shard   explore.Shard
}

// tasks are those of some packages, each once.
func tasks(packages []string, shards int) (list []task) {
	for _, p := range slices.Compact(slices.Sorted(slices.Values(packages))) {
		for i := range shards {
			list = append(list, task{p, explore.Shard{Index: i + 1, Of: shards}})
		}
	}
	return list
}

// BuildExplore adds to a pipeline the exploration of the tests of packages. The lines are written
// to a file that is named out.
func BuildExplore(s beam.Scope, packages []string, out string, o ExploreOptions) {
	filesystem.ValidateScheme(out)
	list := tasks(packages, o.Shards)
	var elements [][]byte
	for _, t := range list {
		elements = append(elements, encode(t))
	}
	all := beam.Reshuffle(s, beam.CreateList(s, elements))
	parts := beam.ParDo(s.Scope("Explore"), &exploreFn{Options: o}, all)
	w := s.Scope("Write")
	beam.ParDo0(w, &writeExploredFn{Out: out, Tasks: encode(list)}, beam.Create(w, 0),
		beam.SideInput{Input: parts})
}

// exploreFn explores parts. As with traces, a bundle has as many done at once as there are slots.
type exploreFn struct {
	Options ExploreOptions
	bundle  *bundle[*part]
}

func (fn *exploreFn) StartBundle(context.Context, func([]byte)) { fn.bundle = new(bundle[*part]) }

func (fn *exploreFn) ProcessElement(ctx context.Context, data []byte, emit func([]byte)) {
	fn.bundle.run(func(done func(*part)) {
		var t task
		if err := decode(data, &t); err != nil {
			log.Errorf(ctx, "%q is no task: %v", data, err) // so its part will be missing
			return
		}
		done(fn.explore(ctx, t))
	})
	fn.tell(emit)
}

func (fn *exploreFn) FinishBundle(_ context.Context, emit func([]byte)) {
	fn.bundle.running.Wait()
	fn.tell(emit)
}

// tell hands on what is done.
func (fn *exploreFn) tell(emit func([]byte)) {
	for _, p := range fn.bundle.take() {
		emit(encode(p))
	}
}

// explore makes the runs of a task, in as many attempts as it takes or may take.
func (fn *exploreFn) explore(ctx context.Context, t task) (p *part) {
	for i := range attempts {
		var again error
		if p, again = fn.Options.attempt(ctx, t); again == nil {
			return p
		}
		log.Warnf(ctx, "%s, shard %v: attempt %d of %d failed: %v", t.Package, t.Shard, i+1, attempts,
			again)
		p = &part{Task: t, Error: again.Error()}
	}
	return p
}
