// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/text"
)

// A Level says which findings are reported.
type Level byte

const (
	Violations Level = iota // broken transactions
	Races                   // and races in which a plain mutator takes part
	All                     // and arbitration
)

// Current are what COMMUTE= says, in the form of GORACE: name=value, separated by spaces. In a
// value, %20 is a space. What is wrong is told and left out, and the program goes on: it would
// report more, never less. (commute test and run, which have read the variable before, end instead;
// package internal/option has the same table.)
var Current = struct {
	once            atomic.Uint32 // not 0: they were read, which is all done by then
	lock            offheap.Lock
	Level           Level
	Exit            int32  // exit status of a program with findings that would end with 0
	Halt            bool   // end at the first report
	Strip           string // prefix to take off file names
	Out             uintptr
	Log             string // the file that is, if it's none of the standard ones
	SuppressionText string // the suppressions file's text; see readySuppressions
	Trace           string // folder for what is recorded
	TraceLimit      uint64 // bytes that a trace may have; 0: any
	TraceLast       uint64 // bytes of its end that are kept of a trace; 0: all
	Stats           bool   // tell at the end how much was checked
	Sleep           int    // milliseconds that goroutines have to go on when a program ends that is watched for data races
}{Level: Races, Exit: 66, Out: 2, Sleep: 1000}

// Ready reads the options at their first use.
func Ready() {
	if Current.once.Load() != 0 {
		return
	}
	Current.lock.Lock()
	if Current.once.Load() == 0 {
		Parse(host.Getenv("COMMUTE"))
		Current.once.Store(1)
	}
	Current.lock.Unlock()
}

func Parse(s string) {
	var word string
	for s != "" {
		word, s = text.Cut(s, ' ')
		if word == "" {
			continue
		}
		name, value := text.Cut(word, '=')
		if !set(name, text.Unescape(value)) {
			output.Warn("COMMUTE: ", word, " is no option, or has no such value (see commute help options); it is ignored")
		}
	}
}

func set(name, value string) bool {
	switch name {
	case "exitcode":
		n, ok := text.Number(value)
		if !ok || n > 255 {
			return false
		}
		Current.Exit = int32(n)
	case "atexit_sleep_ms":
		n, ok := text.Number(value)
		if !ok {
			return false
		}
		Current.Sleep = n
	case "halt_on_error":
		Current.Halt = value == "1"
		return value == "0" || value == "1"
	case "stats":
		Current.Stats = value == "1"
		return value == "0" || value == "1"
	case "strip_path_prefix":
		Current.Strip = value
	case "level":
		switch value {
		case "violations":
			Current.Level = Violations
		case "races":
			Current.Level = Races
		case "all":
			Current.Level = All
		default:
			return false
		}
	case "log_path":
		return logTo(value)
	case "trace":
		Current.Trace = value
		return value != ""
	case "trace_limit_mb":
		n, ok := text.Number(value)
		Current.TraceLimit = uint64(n) << 20
		return ok
	case "trace_last_mb":
		n, ok := text.Number(value)
		Current.TraceLast = uint64(n) << 20
		return ok && n > 0
	case "suppressions":
		return value != "" && readSuppressions(value)
	default:
		return false
	}
	return true
}

// logTo sends reports to a file, named with the process's number as GORACE's log_path is.
func logTo(path string) bool {
	switch path {
	case "":
		return false
	case "stderr":
		Current.Out = 2
	case "stdout":
		Current.Out = 1
	default:
		b := text.Buffers.Get()
		b.Reset()
		b.Text(path)
		b.Text(".")
		b.Uint(host.Pid())
		if fd, ok := host.Create(b.String()); ok {
			Current.Out, Current.Log = fd, b.Kept()
		} else {
			output.Warn("COMMUTE: cannot create ", b.String(), "; reports go to stderr")
		}
		text.Buffers.Put(b)
	}
	return true
}

func readSuppressions(path string) bool {
	data, ok := host.ReadFile(path)
	if !ok {
		output.Warn("COMMUTE: cannot read the suppressions file ", path)
		return true
	}
	Current.SuppressionText = text.View(data)
	SplitSuppressions()
	return true
}
