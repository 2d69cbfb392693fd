// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/toolchain/toolexec"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/tracefile"
)

const traceUsage = `usage: commute trace info [-format FORMAT] FILE...
       commute trace cat [-format FORMAT] FILE
       commute trace validate [-format FORMAT] [-mutexes=false] FILE...
       commute trace convert [-format FORMAT] [-to FORMAT] [-codec CODEC] IN OUT
       commute trace gen [-shape SHAPE] [-events N] [-seed N] [sizes] [-to FORMAT]
                         [-codec CODEC] OUT
       commute trace cut [-events FROM-TO] [-threads LIST] [-near NAME] [-mutexes=false]
                         [-to FORMAT] [-codec CODEC] IN OUT
       commute trace reorder [-witness N] [-window N] [-budget N] [-switches N] [-format FORMAT]
                         [-mutexes=false] [-to FORMAT] [-codec CODEC] IN OUT

Info says what is in a trace, with the tests that were recorded, and how much was lost before its
first step if only its end was kept (test -trace_last). Cat prints the events, a line each, and
before a thread's first event, after a #, which goroutine it is and of which test, if that is known.
Validate says whether a trace is well-formed: transactions end that were begun, locks are released
by the thread that holds them, a thread is forked before its first event and joined after its last.
Convert writes a trace in another format. Gen makes one; "commute trace gen -h" lists shapes and
sizes. Cut writes a part, which is well-formed too: what is open or held where a thread's part
begins, is begun and acquired there. Reorder writes an order of events in which
"analyze -check=avp" finds a violation, as a trace.

`

const traceEnd = `
A FILE may be - for standard input or output. The exit code is 2 if a trace cannot be read or is not
well-formed.
`

func traceHelp() string {
	return traceUsage + option.FlagHelp(nil, "trace info", "trace cat", "trace validate",
		"trace convert", "trace cut", "trace reorder") + traceEnd
}

// traceCommands are the words after "commute trace".
var traceCommands = map[string]func(args []string) int{
	"info": traceInfo, "cat": traceCat, "validate": traceValidate, "convert": traceConvert,
	"gen": traceGen, "cut": traceCut, "reorder": traceReorder,
}

func traces(args []string, _ toolexec.Config) int {
	if len(args) > 0 {
		if run, ok := traceCommands[args[0]]; ok {
			return run(args[1:])
		}
		if args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
			fmt.Print(traceHelp())
			return 0
		}
		fmt.Fprintf(os.Stderr, "commute: unknown command %q\n\n", "trace "+args[0])
	}
	fmt.Fprint(os.Stderr, traceHelp())
	return toolexec.ExitUsage
}

// bad prints an error in a trace, which has its place.
func bad(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return toolexec.ExitUsage
}

// noteCut prints that a trace doesn't end where its file does.
func noteCut(f *tracefile.File) {
	if cut, steps := f.Cut(); cut > 0 || steps > 0 {
		fmt.Fprintf(os.Stderr, "%s: note: the trace was cut off; its last %d bytes and %d steps "+
			"are left out\n", f.Name, cut, steps)
	}
}

// traceInfo is commute trace info.
func traceInfo(args []string) int {
	fs := flagSet("trace info", traceHelp())
	format := fs.String("format", "", "")
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	if fs.NArg() == 0 {
		return misused("trace info: want the name of a trace")
	}
	check, _ := offline.Find("metainfo")
	for _, name := range fs.Args() {
		f, err := tracefile.Open(name, *format)
		if err != nil {
			return bad(err)
		}
		var count atomic.Uint64
		r, err := offline.Run(f, offline.Options{Checks: []offline.Check{check}}, &count)
		f.Close()
		if err != nil {
			return bad(err)
		}
		kind := f.Format
		if f.Gzip {
			kind += ", gzip"
		}
		fmt.Printf("%s: %s, %d bytes\n", f.Name, kind, f.Done())
		if f.Format == tracefile.Binary && !f.Gzip && f.Size > 0 {
			if code := printChunks(name, f.Size); code != 0 {
				return code
			}
		}
		if lost := f.Lost(); lost > 0 {
			fmt.Printf("starts in the middle: %d steps before were lost\n", lost)
		}
		printMetaInfo(os.Stdout, r.Checks[0].MetaInfo)
		if c := r.Checks[0].MetaInfo; c.Ops[event.Touch] > 0 {
			fmt.Printf("access points: %d\n", f.Tables().Relation.Points())
		}
		if tests := f.Tables().Program.Tests(); len(tests) > 0 {
			fmt.Printf("tests: %d\n", len(tests))
			for _, name := range tests {
				fmt.Printf("\t%s\n", name)
			}
		}
		noteCut(f)
	}
	return 0
}

// printChunks prints the chunks of a binary file.
func printChunks(name string, size int64) int {
	f, err := os.Open(name)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	x, err := raw.Scan(f, size)
	if err != nil {
		return bad(fmt.Errorf("%s: %w", name, err))
	}
	codecs := make(map[byte]int)
	for _, c := range x.Chunks {
		codecs[c.Codec]++
	}
	var by []string
	for codec, n := range raw.Codecs() {
		if codecs[byte(codec)] > 0 {
			by = append(by, fmt.Sprintf("%d %s", codecs[byte(codec)], n))
		}
	}
	fmt.Printf("version %d, %d chunks (%s), %d steps\n", x.Version, len(x.Chunks),
		strings.Join(by, ", "), x.Steps)
	return 0
}

// traceCat is commute trace cat.
func traceCat(args []string) int {
	fs := flagSet("trace cat", traceHelp())
	format := fs.String("format", "", "")
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	if fs.NArg() != 1 {
		return misused("trace cat: want the name of one trace")
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	n := 0
	var introduced []bool // by thread
	err := each(fs.Arg(0), *format, nil, func(f *tracefile.File, events []event.Event) error {
		t := f.Tables()
		for i := range events {
			if thread := events[i].Thread; uint64(thread) >= uint64(len(introduced)) ||
				!introduced[thread] {
				for uint64(thread) >= uint64(len(introduced)) {
					introduced = append(introduced, false)
				}
				introduced[thread] = true
				introduce(out, t, thread)
			}
			n++
			if _, err := fmt.Fprintf(out, "%d %s at %s\n", n, t.String(&events[i]),
				t.Pos(events[i].Pos)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		out.Flush()
		return bad(err)
	}
	return 0
}

// introduce writes, before a thread's first event, which goroutine it is and of which test, if the
// trace has that.
func introduce(w io.Writer, t *trace.Tables, thread uint32) {
	g, _ := t.Program.Goroutine(thread)
	test := t.Program.Test(thread)
	if g.ID == 0 && test == "" {
		return
	}
	fmt.Fprintf(w, "# %s", t.Threads.Name(thread))
	if g.ID != 0 {
		fmt.Fprintf(w, ": goroutine %d", g.ID)
	}
	if test != "" {
		fmt.Fprintf(w, ", test %s", test)
	}
	fmt.Fprintln(w)
}

// each reads a trace. If prepare is not nil it is called first, and may have the trace validated.
func each(name, format string, prepare func(f *tracefile.File) error, take func(f *tracefile.File,
	events []event.Event) error) error {
	f, err := tracefile.Open(name, format)
	if err != nil {
		return err
	}
	defer f.Close()
	if prepare != nil {
		if err := prepare(f); err != nil {
			return err
		}
	}
	buf := make([]event.Event, 4096)
	for {
		n, err := f.Read(buf)
		if err == io.EOF {
			noteCut(f)
			return nil
		}
		if err == nil {
			err = take(f, buf[:n])
		}
		if err != nil {
			return err
		}
	}
}

// traceValidate is commute trace validate.
func traceValidate(args []string) int {
	fs := flagSet("trace validate", traceHelp())
	format := fs.String("format", "", "")
	var mutexes optionalBool
	fs.Var(&mutexes, "mutexes", "")
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	if fs.NArg() == 0 {
		return misused("trace validate: want the name of a trace")
	}
	code := 0
	for _, name := range fs.Args() {
		n := 0
		err := each(name, *format, func(f *tracefile.File) error {
			f.Validate(mutexes.value)
			return nil
		}, func(_ *tracefile.File, events []event.Event) error {
			n += len(events)
			return nil
		})
		if err == nil {
			err = tracefile.CheckRecords(name, *format)
		}
		if err != nil {
			code = bad(err)
			continue
		}
		fmt.Printf("ok  \t%s\t%d events\n", name, n)
	}
	return code
}

// output is the flags of commands that write a trace.
type output struct{ to, codec string }

// write copies the events that read returns to a file.
func (o *output) write(name string, tables *trace.Tables,
	read func(buf []event.Event) ([]event.Event, error)) error {
	codec, ok := raw.Codec(o.codec)
	if !ok {
		return fmt.Errorf("commute: unknown codec %q (want %s)", o.codec,
			strings.Join(raw.Codecs(), ", "))
	}
	w, err := tracefile.Create(name, o.to, codec, tables)
	if err != nil {
		return err
	}
	buf := make([]event.Event, 4096)
	for {
		events, err := read(buf)
		if err == io.EOF {
			return w.Close()
		}
		if err == nil {
			err = w.Write(events)
		}
		if err != nil {
			w.Discard()
			return err
		}
	}
}

// traceConvert is commute trace convert.
func traceConvert(args []string) int {
	fs := flagSet("trace convert", traceHelp())
	format := fs.String("format", "", "")
	var o output
	fs.StringVar(&o.to, "to", "", "")
	fs.StringVar(&o.codec, "codec", "s2", "")
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	if fs.NArg() != 2 {
		return misused("trace convert: want the names of two files, IN and OUT")
	}
	f, err := tracefile.Open(fs.Arg(0), *format)
	if err != nil {
		return bad(err)
	}
	defer f.Close()
	err = o.write(fs.Arg(1), f.Tables(), func(buf []event.Event) ([]event.Event, error) {
		n, err := f.Read(buf)
		return buf[:n], err
	})
	if err != nil {
		return bad(err)
	}
	noteCut(f)
	return 0
}
