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

// The levels, each with the findings of those before it.
const (
	Violations Level = iota // what breaks a transaction, or a check and act
	Updates                 // and what may lose a change, and races by the user's specifications
	Races                   // and readers beside writers
	All                     // and arbitration
)

// An Outcome says what becomes of findings of a kind: potential deadlocks, and leaked goroutines.
type Outcome byte

// The values of the option.
const (
	Off  Outcome = iota // none are looked for
	Warn                // they are reported, and fail nothing
	Fail                // they are findings as any other
)

// Current has the options, as COMMUTE has them in the form of GORACE: name=value, separated by
// spaces. In a value, %20 is a space. A mistake never makes less be reported.
var Current = struct {
	once            atomic.Uint32 // not 0 once the variable was read
	lock            offheap.Lock
	Level           Level
	Deadlock        Outcome
	Leaks           Outcome // of goroutines that tests leave, and that wait for ever
	Exit            int32   // the exit status of a program with findings that would end with 0
	Halt            bool    // end at the first report
	Strip           string  // the prefix to take off file names
	Out             uintptr // where reports go
	Log             string  // the file that Out is, if it is none of the standard ones
	SuppressionText string  // the text of the suppressions file
	Trace           string  // the folder for traces
	TraceLimit      uint64  // how many bytes a trace may have; 0: any
	TraceLast       uint64  // how many bytes of its end are kept of a trace; 0: all
	Stats           bool    // write at the end how much was checked
	MaxReports      int     // full reports that are written; 0: any; -1: as many as suits
	Color           bool    // reports have the colors of a terminal
	Cover           string  // what the names of profiles begin with; "" for none
	Perturb         bool    // hold goroutines up between a check and an act, now and then
	// Sleep is for how many milliseconds goroutines go on when a program ends that is watched for
	// data races.
	Sleep int
}{Level: Updates, Deadlock: Warn, Leaks: Warn, Exit: 66, Out: 2, Sleep: 1000, Perturb: true,
	MaxReports: -1}

// Ready reads the variable at the first use of an option.
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

// Perturbs reports whether goroutines are to be held up.
func Perturbs() bool {
	Ready()
	return Current.Perturb
}

// followsLocks is 1 if the option for deadlocks is another than Off.
var followsLocks atomic.Uint32

// FollowsLocks reports whether locks are followed, for deadlocks. Each lock asks, so it is inlined.
func FollowsLocks() bool { return followsLocks.Load() != 0 }

// Start reads the options for deadlocks and coverage when the program starts, where no file can be
// read yet, and nothing can be warned of.
func Start() {
	setDeadlock("warn")
	var word string
	for s := host.Getenv("COMMUTE"); s != ""; {
		word, s = text.Cut(s, ' ')
		if text.HasPrefix(word, "deadlock=") {
			setDeadlock(word[len("deadlock="):])
		}
		if text.HasPrefix(word, "conc_cover=") {
			setCover(text.Unescape(word[len("conc_cover="):]))
		}
	}
}

// covers is 1 if option conc_cover is given.
var covers atomic.Uint32

// Covers reports whether pairs of operations are noted. Each call asks, so it is inlined.
func Covers() bool { return covers.Load() != 0 }

// setCover sets option conc_cover. A value that is empty is none.
func setCover(value string) bool {
	if value == "" {
		return false
	}
	Current.Cover = value
	covers.Store(1)
	return true
}

// setDeadlock sets the option for deadlocks, and reports whether there is such a value.
func setDeadlock(value string) bool {
	on := uint32(1)
	switch value {
	case "off":
		Current.Deadlock, on = Off, 0
	case "warn":
		Current.Deadlock = Warn
	case "fail":
		Current.Deadlock = Fail
	default:
		return false
	}
	followsLocks.Store(on)
	return true
}

// setLeaks sets the option for leaked goroutines, and reports whether there is such a value.
func setLeaks(value string) bool {
	switch value {
	case "off":
		Current.Leaks = Off
	case "warn":
		Current.Leaks = Warn
	case "fail":
		Current.Leaks = Fail
	default:
		return false
	}
	return true
}

// LooksForLeaks reports whether leaked goroutines are looked for.
func LooksForLeaks() bool {
	Ready()
	return Current.Leaks != Off
}

// Parse sets the options that a text names, and warns of those that it can't.
func Parse(s string) {
	var word string
	for s != "" {
		word, s = text.Cut(s, ' ')
		if word == "" {
			continue
		}
		name, value := text.Cut(word, '=')
		if !set(name, text.Unescape(value)) {
			output.Warn("COMMUTE: ", word, " is no option, or has no such value (see commute "+
				"help options); it is ignored")
		}
	}
}

// set sets an option, and reports whether there is one of that name with such a value.
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
	case "color":
		Current.Color = value == "1"
		return value == "0" || value == "1"
	case "max_reports":
		n, ok := text.Number(value)
		if ok {
			Current.MaxReports = n
		}
		return ok
	case "perturb":
		Current.Perturb = value == "1"
		return value == "0" || value == "1"
	case "strip_path_prefix":
		Current.Strip = value
	case "level":
		switch value {
		case "violations":
			Current.Level = Violations
		case "updates":
			Current.Level = Updates
		case "races":
			Current.Level = Races
		case "all":
			Current.Level = All
		default:
			return false
		}
	case "deadlock":
		if value == "fail" && !host.FramePointers {
			output.Warn("COMMUTE: deadlock=fail: deadlocks are looked for on amd64 and arm64 " +
				"only, not here")
		}
		return setDeadlock(value)
	case "leaks":
		return setLeaks(value)
	case "log_path":
		return logTo(value)
	case "conc_cover":
		return setCover(value)
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

// readSuppressions reads the suppressions file. A file that can't be read is warned of.
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
