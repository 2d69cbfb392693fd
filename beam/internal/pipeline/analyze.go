// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// attempts is how often a trace is analyzed until it is given up: some runners, such as prism,
// repeat nothing.
const attempts = 3

// analyzeFn analyzes a file.
type analyzeFn struct {
	Options Options
}

func (fn *analyzeFn) ProcessElement(ctx context.Context, file string, _ func(*int64) bool,
	found func(string, []byte), info func([]byte)) {
	var t *report.Trace
	for i := range attempts {
		var again error
		if t, again = fn.attempt(ctx, file); again == nil {
			break
		}
		log.Warnf(ctx, "%s: attempt %d of %d failed: %v", file, i+1, attempts, again)
		t = &report.Trace{File: file, Error: again.Error()}
	}
	prints, list := instances(t)
	for i, f := range list {
		found(prints[i], encode(instance{file, f}))
	}
	info(encode(infoOf(file, t)))
}

// infoOf is what there is of a trace besides its findings.
func infoOf(file string, t *report.Trace) traceInfo {
	x := traceInfo{File: file, Error: t.Error, Events: t.Events}
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

// attempt analyzes a file. It returns an error if another attempt may do better: if it panics, or
// if the file system fails. What is wrong with the trace itself stands in the result.
func (fn *analyzeFn) attempt(ctx context.Context, file string) (t *report.Trace, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Errorf(ctx, "%s: panic: %v\n%s", file, p, debug.Stack())
			err = fmt.Errorf("%s: panic: %v", file, p)
		}
	}()
	during(file)
	o, err := fn.Options.offline()
	if err != nil {
		return nil, err
	}
	fs, err := filesystem.New(ctx, file)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, file)
	if errors.Is(err, os.ErrNotExist) {
		return &report.Trace{File: file, Error: openError(file, err).Error()}, nil
	}
	if err != nil {
		return nil, openError(file, err)
	}
	defer in.Close()
	r := &reader{Reader: in}
	t = analyze(r, file, fn.Options.Format, o)
	during(file)
	if r.err != nil {
		return nil, fmt.Errorf("%s: %w", file, r.err)
	}
	return t, nil
}

// analyze analyzes a trace.
func analyze(r io.Reader, name, format string, o offline.Options) *report.Trace {
	f, err := tracefile.New(r, name, format)
	if err != nil {
		return &report.Trace{File: name, Error: err.Error()}
	}
	var count atomic.Uint64
	result, err := offline.Run(f, o, &count)
	return result.Trace(f, 0, err)
}

// openError names the file once.
func openError(file string, err error) error {
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
