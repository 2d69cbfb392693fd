// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package pipeline analyzes many traces by a pipeline of Apache Beam.
//
// Input: patterns of files, on any file system that Beam has, and the checks to make. Output: a
// file of JSON lines ([Line]), with one for each fingerprint, one for each trace that is not whole,
// and a summary. What is found in a trace is what package offline finds there.
//
//	patterns -> files, each once -> findings and what is to be said of each trace
//	findings -> by fingerprint: one of them, and in which traces there are such -> lines
//
// The work is split by files, and of check avp by windows of them: these are judged first, by any
// worker. A file is checked in one go, with what was found in its windows at hand. What is found is
// handed on when it was checked to its end, so an attempt that fails leaves nothing behind.
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, string, func(string, int64), error](&listFn{})
	register.Emitter2[string, int64]()
	register.DoFn4x0[context.Context, string, func(*int64) bool, func([]byte)](&splitFn{})
	register.DoFn3x0[context.Context, []byte, func(string, []byte)](&judgeFn{})
	register.DoFn6x0[context.Context, string, func(*int64) bool, func(*[]byte) bool,
		func(string, []byte), func([]byte)](&analyzeFn{})
	register.Iter1[int64]()
	register.Emitter2[string, []byte]()
	register.Emitter1[[]byte]()
	register.Combiner3[merged, []byte, []byte](&mergeFn{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(*[]byte) bool,
		error](&writeFn{})
	register.Iter1[[]byte]()
	beam.RegisterCoder(mergedType, encodeMerged, decodeMerged)
}

// Build adds to a pipeline the analysis of the files that match patterns. The lines are written
// to a file that is named out.
func Build(s beam.Scope, patterns []string, out string, o Options) {
	for _, name := range append([]string{out}, patterns...) {
		filesystem.ValidateScheme(name)
	}
	matches := beam.ParDo(s.Scope("List"), &listFn{}, beam.CreateList(s, patterns))
	files := beam.GroupByKey(s.Scope("Files"), matches) // however many patterns match
	tasks := beam.ParDo(s.Scope("Split"), &splitFn{Options: o}, files)
	judged := beam.ParDo(s.Scope("Judge"), &judgeFn{Options: o}, beam.Reshuffle(s, tasks))
	both := beam.CoGroupByKey(s.Scope("Windows"), matches, judged)
	found, traces := beam.ParDo2(s.Scope("Analyze"), &analyzeFn{Options: o}, both)
	lines := beam.DropKey(s, beam.CombinePerKey(s.Scope("Merge"), &mergeFn{}, found))
	w := s.Scope("Write")
	beam.ParDo0(w, &writeFn{Out: out}, beam.Create(w, 0), beam.SideInput{Input: lines},
		beam.SideInput{Input: traces})
}

// listFn lists the files that match a pattern. One that matches none, or is none, is taken for a
// file's name, and so becomes an error of that name if there is no such file.
type listFn struct{}

func (*listFn) ProcessElement(ctx context.Context, pattern string, emit func(string, int64)) error {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	if err != nil && !errors.Is(err, path.ErrBadPattern) {
		return fmt.Errorf("%s: %w", pattern, err)
	}
	if len(names) == 0 {
		names = []string{pattern}
	}
	for _, name := range names {
		emit(name, 0)
	}
	return nil
}

func decode(data []byte, v any) error { return json.Unmarshal(data, v) }

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // all types here are plain data
	}
	return data
}
