// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/cut"
	"github.com/commutego/commute/internal/trace/generate"
	"github.com/commutego/commute/internal/trace/tracefile"
)

const genUsage = `usage: commute trace gen [-shape SHAPE] [-events N] [-seed N] [sizes]
                         [-to FORMAT] [-codec CODEC] OUT

`

func genHelp() string {
	var b strings.Builder
	for _, s := range generate.Shapes {
		fmt.Fprintf(&b, "\t\t%-12s%s\n", s.Name,
			strings.ReplaceAll(s.Short, "\n", "\n\t\t            "))
	}
	return genUsage + option.FlagHelp(map[string]string{"shape": b.String()}, "trace gen")
}

// count is a flag for a number, which may be written as 1e9.
type count uint64

func (c *count) String() string { return strconv.FormatUint(uint64(*c), 10) }

func (c *count) Set(s string) error {
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		*c = count(n)
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || f < 0 || f > 1e18 {
		return fmt.Errorf("want a whole number")
	}
	*c = count(f)
	return nil
}

// traceGen is commute trace gen.
func traceGen(args []string) int {
	fs := flagSet("trace gen", genHelp())
	p := generate.Params{}
	events := count(1000000)
	var o output
	var threads, locks, vars uint
	fs.StringVar(&p.Shape, "shape", "locked", "")
	fs.Var(&events, "events", "")
	fs.Uint64Var(&p.Seed, "seed", 1, "")
	fs.UintVar(&threads, "threads", 0, "")
	fs.UintVar(&locks, "locks", 0, "")
	fs.UintVar(&vars, "vars", 0, "")
	fs.Uint64Var(&p.Length, "length", 0, "")
	fs.Uint64Var(&p.Violation, "violation", 0, "")
	fs.StringVar(&o.to, "to", "", "")
	fs.StringVar(&o.codec, "codec", "s2", "")
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	if fs.NArg() != 1 {
		return misused("trace gen: want the name of the file to make")
	}
	if max(threads, locks, vars) > 1<<31 {
		return misused("trace gen: more than %d threads, locks or variables", uint(1<<31))
	}
	p.Events, p.Threads = uint64(events), uint32(threads)
	p.Locks, p.Vars = uint32(locks), uint32(vars)
	g, err := generate.New(p)
	if err != nil {
		return misused("trace gen: %v", err)
	}
	err = o.write(fs.Arg(0), g.Tables(), func(buf []event.Event) ([]event.Event, error) {
		n, err := g.Read(buf)
		return buf[:n], err
	})
	if err != nil {
		return bad(err)
	}
	return 0
}

// traceCut is commute trace cut.
func traceCut(args []string) int {
	fs := flagSet("trace cut", traceHelp())
	format := fs.String("format", "", "")
	events := fs.String("events", "", "")
	threads := fs.String("threads", "", "")
	near := fs.String("near", "", "")
	var mutexes optionalBool
	fs.Var(&mutexes, "mutexes", "")
	var o output
	fs.StringVar(&o.to, "to", "", "")
	fs.StringVar(&o.codec, "codec", "s2", "")
	if code, ok := parseFlags(fs, args); !ok {
		return code
	}
	if fs.NArg() != 2 {
		return misused("trace cut: want the names of two files, IN and OUT")
	}
	keep, err := eventRange(*events)
	if err != nil {
		return fail(err)
	}
	if *near != "" {
		if keep.Near, err = neighbourhood(fs.Arg(0), *format, *near, mutexes.value); err != nil {
			return bad(err)
		}
	}
	c := cutting{fs.Arg(0), *format, fs.Arg(1), keep, *threads, mutexes.value, &o}
	if err := c.write(); err != nil {
		return bad(err)
	}
	return 0
}

// eventRange is FROM-TO.
func eventRange(s string) (keep cut.Keep, err error) {
	if s == "" {
		return keep, nil
	}
	from, to, ok := strings.Cut(s, "-")
	if ok && from != "" {
		keep.From, err = strconv.ParseUint(from, 10, 63)
		ok = err == nil && keep.From > 0
		keep.From--
	}
	if ok && to != "" {
		keep.To, err = strconv.ParseUint(to, 10, 63)
		ok = err == nil && keep.To > keep.From
	}
	if !ok {
		return keep,
			fmt.Errorf("trace cut: -events %q (want FROM-TO, as 100-200, 100- or -200, counted "+
				"from 1)", s)
	}
	return keep, nil
}

// neighbourhood reads a trace to find the events near a variable, lock or object.
func neighbourhood(name, format, near string, mutexes *bool) (*cut.Neighbourhood, error) {
	if name == "-" {
		return nil, fmt.Errorf("commute: trace cut -near reads the trace twice, so it can't be " +
			"standard input")
	}
	var n *cut.Neighbourhood
	err := each(name, format, func(f *tracefile.File) error {
		f.Validate(mutexes)
		t := f.Tables()
		vars, locks, objects := named(t.Vars, near), named(t.Locks, near), named(t.Objects, near)
		n = cut.NewNeighbourhood(func(e *event.Event) bool {
			switch e.Op {
			case event.Read, event.Write:
				return vars.is(e.Target)
			case event.Acquire, event.Release, event.ReleaseMerge:
				return locks.is(e.Target)
			case event.Touch:
				return objects.is(e.Target)
			}
			return false
		})
		return nil
	}, func(_ *tracefile.File, events []event.Event) error {
		n.Add(events)
		return nil
	})
	if err == nil && n.Empty() {
		err = fmt.Errorf("%s: nothing in the trace is called %q (\"commute trace cat\" shows the "+
			"names)", name, near)
	}
	return n, err
}

// A nameTest reports whether numbers have a name. Each is looked up once.
type nameTest struct {
	names  *trace.Names
	name   string
	known  []bool
	answer []bool
}

func named(names *trace.Names, name string) *nameTest { return &nameTest{names: names, name: name} }

func (t *nameTest) is(number uint32) bool {
	for uint64(len(t.known)) <= uint64(number) {
		t.known, t.answer = append(t.known, false), append(t.answer, false)
	}
	if !t.known[number] {
		t.known[number], t.answer[number] = true, t.names.Name(number) == t.name
	}
	return t.answer[number]
}

// A cutting is a part of a trace that is to be written.
type cutting struct {
	in, format, out string
	keep            cut.Keep
	threads         string // names of threads, separated by commas; "" for all
	mutexes         *bool  // whether locks are mutexes; nil: as the format has it
	output          *output
}

// write writes the part, event by event as the trace is read.
func (k *cutting) write() error {
	f, err := tracefile.Open(k.in, k.format)
	if err != nil {
		return err
	}
	defer f.Close()
	f.Validate(k.mutexes)
	keep := k.keep
	keep.Mutexes = f.Tables().Mutexes
	if k.mutexes != nil {
		keep.Mutexes = *k.mutexes
	}
	if k.threads != "" {
		var tests []*nameTest
		for name := range strings.SplitSeq(k.threads, ",") {
			tests = append(tests, named(f.Tables().Threads, name))
		}
		keep.Thread = func(t uint32) bool {
			for _, test := range tests {
				if test.is(t) {
					return true
				}
			}
			return false
		}
	}
	c := cut.New(keep)
	var part []event.Event
	err = k.output.write(k.out, f.Tables(), func(buf []event.Event) ([]event.Event, error) {
		if c.Done() {
			return nil, io.EOF
		}
		n, err := f.Read(buf)
		part = c.Add(part[:0], buf[:n])
		return part, err
	})
	if err == nil {
		noteCut(f)
	}
	return err
}
