// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/commutego/commute/internal/check/avp"
)

// maxElement is the greatest size of an element: runners have limits. Larger windows are not handed
// out, and larger results not handed on. Who analyzes the file judges such windows.
var maxElement = 4 << 20

// A windowTask is a window that is to be judged.
type windowTask struct {
	File   string
	N      int // which one of the file
	Window []byte
}

// A windowResult is what was found in a window.
type windowResult struct {
	N      int
	First  uint64 // of the window, and its number of steps: it must be that of who asks
	Steps  int
	Result *avp.Result
}

// splitFn hands out the windows of files that check avp looks at in several. Nothing is reported
// here: what is wrong with a file is found again by who analyzes it.
type splitFn struct {
	Options Options
	bundle  *bundle[[]byte]
}

func (fn *splitFn) StartBundle(context.Context, func([]byte)) {
	fn.bundle = new(bundle[[]byte])
}

func (fn *splitFn) ProcessElement(ctx context.Context, file string, _ func(*int64) bool,
	emit func([]byte)) {
	if slices.Contains(fn.Options.Checks, "avp") {
		fn.bundle.run(func(done func([]byte)) { fn.split(ctx, file, done) })
	}
	fn.tell(emit)
}

func (fn *splitFn) FinishBundle(_ context.Context, emit func([]byte)) {
	fn.bundle.running.Wait()
	fn.tell(emit)
}

func (fn *splitFn) tell(emit func([]byte)) {
	for _, task := range fn.bundle.take() {
		emit(task)
	}
}

// split tells of the windows of a file, in as many attempts as it takes or may take. A window that
// was told of is not told of again. A file of one window is left to who analyzes it.
func (fn *splitFn) split(ctx context.Context, file string, done func([]byte)) {
	var first []byte // until there is a second
	told := 0
	judge := func(n int, w *avp.Window) *avp.Result {
		if n < told {
			return new(avp.Result)
		}
		told = n + 1
		data, _ := w.AppendBinary(nil)
		data = encode(windowTask{file, n, data})
		if n == 0 {
			first = data
			return new(avp.Result)
		}
		for _, task := range [][]byte{first, data} {
			if len(task) > 0 && len(task) <= maxElement {
				done(task)
			}
		}
		first = nil
		return new(avp.Result)
	}
	for i := range attempts {
		again := fn.attempt(ctx, file, judge)
		if again == nil {
			return
		}
		log.Warnf(ctx, "%s: attempt %d of %d to split it failed: %v", file, i+1, attempts, again)
	}
}

// attempt reads a file for its windows.
func (fn *splitFn) attempt(ctx context.Context, file string,
	judge func(int, *avp.Window) *avp.Result) error {
	o := fn.Options
	o.Checks, o.All = []string{"avp"}, true
	_, err := attempt(ctx, file, &o, judge)
	return err
}

// judgeFn judges windows.
type judgeFn struct {
	Options Options
	bundle  *bundle[judged]
}

// A judged is the result of a window, for the file.
type judged struct {
	file   string
	result []byte
}

func (fn *judgeFn) StartBundle(context.Context, func(string, []byte)) {
	fn.bundle = new(bundle[judged])
}

func (fn *judgeFn) ProcessElement(ctx context.Context, data []byte, emit func(string, []byte)) {
	fn.bundle.run(func(done func(judged)) {
		for i := range attempts {
			file, result, again := fn.judge(data)
			if again == nil {
				if len(result) <= maxElement {
					done(judged{file, result})
				}
				return
			}
			log.Warnf(ctx, "%s: attempt %d of %d to judge a window failed: %v", file, i+1, attempts,
				again)
		}
	})
	fn.tell(emit)
}

func (fn *judgeFn) FinishBundle(_ context.Context, emit func(string, []byte)) {
	fn.bundle.running.Wait()
	fn.tell(emit)
}

func (fn *judgeFn) tell(emit func(string, []byte)) {
	for _, x := range fn.bundle.take() {
		emit(x.file, x.result)
	}
}

// judge judges a window in one attempt. If there is an error, who analyzes the file will judge it.
func (fn *judgeFn) judge(data []byte) (file string, result []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	var task windowTask
	if err := decode(data, &task); err != nil {
		return "", nil, err
	}
	duringWindow(task.File, task.N)
	var w avp.Window
	if err := w.UnmarshalBinary(task.Window); err != nil {
		return task.File, nil, err
	}
	o := fn.Options.AVP
	o.Recorded = w.Piece.Recorded
	r := windowResult{task.N, w.Piece.First, len(w.Piece.Steps), w.Judge(o)}
	return task.File, encode(r), nil
}

// duringWindow is called in each attempt to judge a window. Tests fail there.
var duringWindow = func(file string, n int) {}

// results are those of a file's windows, for offline.Options.Judge.
func results(next func(*[]byte) bool) func(int, *avp.Window) *avp.Result {
	byNumber := make(map[int]windowResult)
	for data := []byte(nil); next(&data); {
		var r windowResult
		if decode(data, &r) == nil {
			byNumber[r.N] = r
		}
	}
	if len(byNumber) == 0 {
		return nil
	}
	return func(n int, w *avp.Window) *avp.Result {
		r := byNumber[n]
		if r.First != w.Piece.First || r.Steps != len(w.Piece.Steps) {
			return nil // it wasn't handed on, or the file is another one now
		}
		return r.Result
	}
}

// A bundle is what is being done, and what is done of it.
type bundle[T any] struct {
	running sync.WaitGroup
	mu      sync.Mutex
	done    []T
}

// run has a function called by a goroutine, when there is a free slot. It is given what takes
// results.
func (b *bundle[T]) run(do func(done func(T))) {
	slots <- struct{}{}
	b.running.Go(func() {
		defer func() { <-slots }()
		do(func(x T) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.done = append(b.done, x)
		})
	})
}

// take is what is done and was not taken so far.
func (b *bundle[T]) take() []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.done
	b.done = nil
	return list
}
