// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/commutego/commute/internal/suggest"
)

// flagSet is a set of flags whose errors and help look like those of commute's commands.
func flagSet(name, help string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() { fmt.Fprint(os.Stderr, help) }
	return fs
}

// parse is a variable, so that a test can see the flags of each command.
var parse = (*flag.FlagSet).Parse

// parseFlags parses args. If it fails, code is the exit code. A mistake is told in one line, and
// the help is printed for who asks for it.
func parseFlags(fs *flag.FlagSet, args []string) (code int, ok bool) {
	help := fs.Usage
	fs.Usage = func() {}
	err := parse(fs, args)
	fs.Usage = help
	switch err {
	case nil:
		return 0, true
	case flag.ErrHelp:
		help()
		return 0, false
	default:
		return misused("%s: %v", fs.Name(), flagError(fs, err)), false
	}
}

// notDefined is what package flag says before the name of a flag that there isn't.
const notDefined = "flag provided but not defined: -"

// flagError is what parse has returned, with what was meant, or where to find it.
func flagError(fs *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), notDefined)
	var known []string
	fs.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
	if near := suggest.Nearest(name, known); unknown && near != "" {
		return fmt.Errorf("unknown flag -%s (did you mean -%s?)", name, near)
	}
	return fmt.Errorf("%w (\"commute help %s\" lists the flags)", err,
		strings.Fields(fs.Name())[0])
}

// optionalBool is a flag that may be left out.
type optionalBool struct{ value *bool }

func (b *optionalBool) String() string   { return "" }
func (b *optionalBool) IsBoolFlag() bool { return true }

func (b *optionalBool) Set(s string) error {
	switch s {
	case "true", "false":
		v := s == "true"
		b.value = &v
		return nil
	}
	return fmt.Errorf("want true or false")
}
