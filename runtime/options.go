// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A level says which findings are reported.
type level byte

const (
	violations level = iota // broken transactions
	races                   // and races in which a plain mutator takes part
	all                     // and arbitration
)

// options are what COMMUTE= says, in the form of GORACE: name=value, separated by spaces. In a
// value, %20 is a space. What is wrong is told and left out, and the program goes on: it would
// report more, never less. (commute test and run, which have read the variable before, end instead;
// package internal/option has the same table.)
var options = struct {
	once       atomic.Uint32 // not 0: they were read, which is all done by then
	lock       offheap.Lock
	level      level
	exit       int32  // exit status of a program with findings that would end with 0
	halt       bool   // end at the first report
	strip      string // prefix to take off file names
	out        uintptr
	log        string // the file that is, if it's none of the standard ones
	rules      string // the suppressions file's text; see readySuppressions
	trace      string // folder for what is recorded
	traceLimit uint64 // bytes that a trace may have; 0: any
	traceLast  uint64 // bytes of its end that are kept of a trace; 0: all
	stats      bool   // tell at the end how much was checked
	sleep      int    // milliseconds that goroutines have to go on when a program ends that is watched for data races
}{level: races, exit: 66, out: 2, sleep: 1000}

// ready reads the options at their first use.
func ready() {
	if options.once.Load() != 0 {
		return
	}
	options.lock.Lock()
	if options.once.Load() == 0 {
		parse(host.Getenv("COMMUTE"))
		options.once.Store(1)
	}
	options.lock.Unlock()
}

func parse(s string) {
	var word string
	for s != "" {
		word, s = cut(s, ' ')
		if word == "" {
			continue
		}
		name, value := cut(word, '=')
		if !set(name, unescape(value)) {
			warn("COMMUTE: ", word, " is no option, or has no such value (see commute help options); it is ignored")
		}
	}
}

func set(name, value string) bool {
	switch name {
	case "exitcode":
		n, ok := number(value)
		if !ok || n > 255 {
			return false
		}
		options.exit = int32(n)
	case "atexit_sleep_ms":
		n, ok := number(value)
		if !ok {
			return false
		}
		options.sleep = n
	case "halt_on_error":
		options.halt = value == "1"
		return value == "0" || value == "1"
	case "stats":
		options.stats = value == "1"
		return value == "0" || value == "1"
	case "strip_path_prefix":
		options.strip = value
	case "level":
		switch value {
		case "violations":
			options.level = violations
		case "races":
			options.level = races
		case "all":
			options.level = all
		default:
			return false
		}
	case "log_path":
		return logTo(value)
	case "trace":
		options.trace = value
		return value != ""
	case "trace_limit_mb":
		n, ok := number(value)
		options.traceLimit = uint64(n) << 20
		return ok
	case "trace_last_mb":
		n, ok := number(value)
		options.traceLast = uint64(n) << 20
		return ok && n > 0
	case "suppressions":
		return value != "" && readRules(value)
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
		options.out = 2
	case "stdout":
		options.out = 1
	default:
		b := buffers.Get()
		b.reset()
		b.text(path)
		b.text(".")
		b.uint(host.Pid())
		if fd, ok := host.Create(b.string()); ok {
			options.out, options.log = fd, b.kept()
		} else {
			warn("COMMUTE: cannot create ", b.string(), "; reports go to stderr")
		}
		buffers.Put(b)
	}
	return true
}

func readRules(path string) bool {
	data, ok := host.ReadFile(path)
	if !ok {
		warn("COMMUTE: cannot read the suppressions file ", path)
		return true
	}
	options.rules = view(data)
	readySuppressions()
	return true
}
