// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package option has the table of the options that a watched program reads from the environment
// variable COMMUTE, and reads the variable before a build, so that a mistake costs none.
//
// Input: the variable's text: words name=value, separated by spaces; in values, %20 is a space and
// %25 a percent sign. Output: the options, or an error for each word that is none. The engine,
// which is compiled into package runtime, has a reader of its own; a test there compares the two.
package option

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/suggest"
)

// Variable is the name of the environment variable.
const Variable = "COMMUTE"

// A Kind says which values an option has.
type Kind int

const (
	Text   Kind = iota // any
	Choice             // one of Words
	Number             // from Min to Max
	Switch             // 0 or 1
	File               // that is there
	Path               // that is written to; Words stand for themselves
)

// An Option is one of the table.
type Option struct {
	Name     string
	Kind     Kind
	Value    string   // what stands for the value in help texts
	Words    []string // see Kind
	Min, Max int
	Flag     bool // commute test and run take it as a flag, too
	Short    string
}

// MaxNumber is the greatest number that the engine takes where nothing else is said.
const MaxNumber = 1 << 24

// Table lists the options in the order of the help text.
var Table = []Option{
	{Name: "level", Kind: Choice, Value: "LEVEL", Words: []string{"violations", "races", "all"},
		Flag:  true,
		Short: "what is reported: violations, races (the default) or all"},
	{Name: "exitcode", Kind: Number, Value: "N", Max: 255, Flag: true,
		Short: "exit code of a program with findings (66)"},
	{Name: "halt_on_error", Kind: Switch, Value: "1", Flag: true,
		Short: "end the program at the first report"},
	{Name: "log_path", Kind: Path, Value: "PATH", Words: []string{"stdout", "stderr"}, Flag: true,
		Short: "write reports to PATH.pid, or to stdout or stderr (the default)"},
	{Name: "strip_path_prefix", Value: "P", Flag: true, Short: "leave P off file names"},
	{Name: "suppressions", Kind: File, Value: "FILE", Flag: true,
		Short: "keep silent what a line of FILE matches"},
	{Name: "trace", Kind: Path, Value: "FOLDER",
		Short: "write a trace into FOLDER, where memory is watched (see -trace)"},
	{Name: "trace_limit_mb", Kind: Number, Value: "N", Max: MaxNumber,
		Short: "of so many megabytes at most: the beginning"},
	{Name: "trace_last_mb", Kind: Number, Value: "N", Min: 1, Max: MaxNumber,
		Short: "of the last so many megabytes, and the definitions that they need"},
	{Name: "stats", Kind: Switch, Value: "1", Flag: true,
		Short: "tell at the end what was watched, and how many transactions were checked"},
	{Name: "atexit_sleep_ms", Kind: Number, Value: "N", Max: MaxNumber,
		Short: "with -datarace, wait so long at the end for goroutines that go on (1000)"},
}

// Find returns the option of a name, nil if there is none.
func Find(name string) *Option {
	if i := slices.IndexFunc(Table, func(o Option) bool { return o.Name == name }); i >= 0 {
		return &Table[i]
	}
	return nil
}

// Names lists the names of the options.
func Names() (list []string) {
	for _, o := range Table {
		list = append(list, o.Name)
	}
	return list
}

// A Setting is an option with a value.
type Setting struct{ Name, Value string }

// Parse reads the variable's text. The error has a line for each word that is wrong.
func Parse(text string) (list []Setting, err error) {
	var errs []error
	for word := range strings.SplitSeq(text, " ") { // as the engine does
		if word == "" {
			continue
		}
		name, value, _ := strings.Cut(word, "=")
		o := Find(name)
		if o == nil {
			errs = append(errs, fmt.Errorf("%s: there is no option %s%s", Variable, name,
				meant(name, Names(),
					" (commute help options lists them; in a value, %20 is a space)")))
			continue
		}
		value = Unescape(value)
		if err := o.Check(value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", Variable, word, err))
			continue
		}
		list = append(list, Setting{name, value})
	}
	return list, errors.Join(errs...)
}

// meant names the word that was perhaps meant, or is the other text.
func meant(name string, words []string, other string) string {
	if near := suggest.Nearest(name, words); near != "" {
		return " (did you mean " + near + "?)"
	}
	return other
}

// Check says what is wrong with a value.
func (o *Option) Check(value string) error {
	switch o.Kind {
	case Choice:
		if !slices.Contains(o.Words, value) {
			all := strings.Join(o.Words[:len(o.Words)-1], ", ") + " or " + o.Words[len(o.Words)-1]
			return errors.New("want " + all + meant(value, o.Words, ""))
		}
	case Number:
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil || int(n) < o.Min || int(n) > o.Max {
			return fmt.Errorf("want a number from %d to %d", o.Min, o.Max)
		}
	case Switch:
		if value != "0" && value != "1" {
			return errors.New("want 0 or 1")
		}
	case File, Path:
		if value == "" {
			return errors.New("want a path")
		}
	}
	return nil
}

// Help is the part of the help text that lists the options.
func Help() string {
	var b strings.Builder
	for _, o := range Table {
		fmt.Fprintf(&b, "\t%-22s%s\n", o.Name+"="+o.Value, o.Short)
	}
	return b.String()
}
