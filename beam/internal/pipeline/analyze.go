// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// attempts is how often a trace is analyzed until it is given up: some runners, such as prism,
// repeat nothing.
const attempts = 3

// analyzeFn analyzes files. Prism hands all files to one bundle, whose elements are processed one
// after the other. So a bundle has files analyzed by goroutines, and hands on what is done.
type analyzeFn struct {
	Options Options
	bundle  *bundle[*report.Trace]
}

// slots has as many files analyzed at once as there are processors, in all bundles together.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

func (fn *analyzeFn) StartBundle(context.Context, func(string, []byte), func([]byte)) {
	fn.bundle = new(bundle[*report.Trace])
}

func (fn *analyzeFn) ProcessElement(ctx context.Context, file string, _ func(*int64) bool,
	windows func(*[]byte) bool, found func(string, []byte), info func([]byte)) {
	judge := results(windows)
	fn.bundle.run(func(done func(*report.Trace)) { done(fn.analyze(ctx, file, judge)) })
	fn.tell(found, info)
}

func (fn *analyzeFn) FinishBundle(_ context.Context, found func(string, []byte),
	info func([]byte)) {
	fn.bundle.running.Wait()
	fn.tell(found, info)
}

// tell hands on what is done.
func (fn *analyzeFn) tell(found func(string, []byte), info func([]byte)) {
	for _, t := range fn.bundle.take() {
		prints, list := instances(t)
		for i, f := range list {
			found(prints[i], encode(instance{t.File, f}))
		}
		info(encode(infoOf(t)))
	}
}

// analyze analyzes a file, in as many attempts as it takes or may take.
func (fn *analyzeFn) analyze(ctx context.Context, file string,
	judge func(int, *avp.Window) *avp.Result) (t *report.Trace) {
	for i := range attempts {
		var again error
		if t, again = attempt(ctx, file, &fn.Options, judge); again == nil {
			break
		}
		log.Warnf(ctx, "%s: attempt %d of %d failed: %v", file, i+1, attempts, again)
		t = &report.Trace{File: file, Error: again.Error()}
	}
	return t
}

// infoOf is what there is of a trace besides its findings.
func infoOf(t *report.Trace) traceInfo {
	x := traceInfo{File: t.File, Error: t.Error, Events: t.Events}
	for _, c := range t.Checks {
		k := Check{
			Name: c.Name, Blocks: c.Blocks, Proven: c.Proven, Alarms: c.Alarms, GaveUp: c.GaveUp,
		}
		if len(c.Findings) > 0 {
			k.Traces = 1
		}
		if !c.NoData {
			k.Data = 1
		}
		x.Checks = append(x.Checks, k)
	}
	return x
}

// during is called in each attempt, before the file is opened and when it was analyzed. Tests fail
// there.
var during = func(file string) {}

// attempt analyzes a file. Judge has what was found in its windows, if it isn't nil. It returns an
// error if another attempt may do better: if it panics, or if the file system fails. What is wrong
// with the trace itself stands in the result.
func attempt(ctx context.Context, file string, options *Options,
	judge func(int, *avp.Window) *avp.Result) (t *report.Trace, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Errorf(ctx, "%s: panic: %v\n%s", file, p, debug.Stack())
			err = fmt.Errorf("%s: panic: %v", file, p)
		}
	}()
	during(file)
	o, err := options.offline()
	if err != nil {
		return nil, err
	}
	o.Judge = judge
	fs, err := filesystem.New(ctx, file)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, file)
	if errors.Is(err, os.ErrNotExist) {
		return &report.Trace{File: file, Error: fileError(file, err).Error()}, nil
	}
	if err != nil {
		return nil, fileError(file, err)
	}
	defer in.Close()
	r := &reader{Reader: in}
	t, err = analyze(ctx, r, file, options.Format, o)
	during(file)
	if r.err != nil {
		return nil, fileError(file, r.err)
	}
	return t, err
}

// analyze analyzes a trace. The error is that of a check that panics.
func analyze(ctx context.Context, r io.Reader, name, format string, o offline.Options,
) (*report.Trace, error) {
	f, err := tracefile.New(r, name, format)
	if err != nil {
		return &report.Trace{File: name, Error: err.Error()}, nil
	}
	var count atomic.Uint64
	result, err := offline.Run(f, o, &count)
	if p := new(offline.Panic); errors.As(err, &p) {
		log.Errorf(ctx, "%s: %v\n%s", name, p, p.Stack)
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return result.Trace(f, 0, err), nil
}

// fileError is an error of a file system, which names the file once.
func fileError(file string, err error) error {
	var wrong *os.PathError
	if errors.As(err, &wrong) {
		err = wrong.Err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// A reader keeps the error of a file system apart from those of what is read.
type reader struct {
	io.Reader
	err error
}

func (r *reader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
