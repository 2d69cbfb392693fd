// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/text"
)

// Start begins a trace, if one is asked for.
func Start() {
	option.Ready()
	if option.Current.Trace == "" {
		return
	}
	b := text.Buffers.Get()
	b.Reset()
	program, _ := host.Arg(0)
	b.Texts(option.Current.Trace, "/", text.Base(program), ".")
	b.Uint(host.Pid())
	b.Text(".trace")
	fd, ok := host.Create(b.String())
	switch {
	case ok && option.Current.TraceLast != 0:
		if option.Current.TraceLimit != 0 {
			output.Warn("COMMUTE: trace_limit_mb has no effect with trace_last_mb")
		}
		ok = recorder.StartRing(fd, b.String(), option.Current.TraceLast)
	case ok:
		recorder.Start(fd, option.Current.TraceLimit)
	}
	if !ok {
		output.Warn("cannot create the trace ", b.String(),
			" (is there such a folder, and may it be written to?)")
		host.Exit(2)
	}
	text.Buffers.Put(b)
}

// Refuse ends the program if a trace is asked for, and the program can't record one, as its memory
// is not watched. It takes the place of Start there.
func Refuse() {
	option.Ready()
	if option.Current.Trace != "" {
		output.Warn("COMMUTE: trace needs a program whose memory is watched (build it with ",
			"-datarace, or take commute test -trace=FOLDER)")
		host.Exit(2)
	}
}

// Stop ends it, and says what is wrong with it. It reports whether nothing is.
func Stop() bool {
	if option.Current.Trace == "" {
		return true
	}
	recorder.Stop()
	switch status, size := recorder.State(); status {
	case recorder.Failed:
		b := text.Buffers.Get()
		b.Reset()
		b.Uint(size)
		output.Warn("the trace could not be written on after ", b.String(),
			" bytes (is the disk full?); what is there can be read")
		text.Buffers.Put(b)
		return false
	case recorder.Full:
		output.Warn(
			"the trace has come to the limit for its size: it tells nothing of what happened later")
	}
	return true
}

// Crashing tells that the program crashes. What was recorded until now goes to the trace.
func Crashing() { recorder.Crash() }
