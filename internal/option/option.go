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
	Flag     bool   // commute test and run take it as a flag, too
	Bare     string // what the flag says without a value; "" if it needs one
	Default  string // "" if there is none
	Short    string // what it is, for help texts and errors
	More     string // what help texts add
}

// MaxNumber is the greatest number that the engine takes where nothing else is said.
const MaxNumber = 1 << 24

// Table lists the options in the order of the help text.
var Table = []Option{
	{Name: "level", Kind: Choice, Value: "LEVEL",
		Words: []string{"violations", "updates", "races", "all"},
		Flag:  true, Default: "updates",
		Short: "what is reported: violations, updates, races or all",
		More: "`violations`: what breaks a check and act or marked code, observed or predicted, " +
			"and data races. `updates` adds what may lose a change: checks and acts by the same " +
			"check of another goroutine, two calls that both write, and all races of types that " +
			"you have specified. `races` adds a read beside a write of types whose " +
			"specifications come with commute; otherwise a line at the end counts these. `all` " +
			"adds arbitration: races of calls that check and act in one, such as `LoadOrStore`. It " +
			"also adds checks and acts under locks that do work twice to little harm, as where a " +
			"cache of plain values is looked up under `RLock` and filled under `Lock`."},
	{Name: "deadlock", Kind: Choice, Value: "WHAT", Words: []string{"off", "warn", "fail"},
		Flag: true, Bare: "fail", Default: "warn",
		Short: "what becomes of potential deadlocks: off, warn or fail",
		More: "These are locks that goroutines take in such orders that each can come to wait for " +
			"the next. `warn` reports them, and fails nothing. With `fail`, for which the flag " +
			"stands without a value, they are findings as any other. With `off` locks are not " +
			"followed."},
	{Name: "leaks", Kind: Choice, Value: "WHAT", Words: []string{"off", "warn", "fail"},
		Flag: true, Bare: "fail", Default: "warn",
		Short: "what becomes of goroutines that tests leave and that wait for ever: off, warn or " +
			"fail",
		More: "They are looked for once, when the tests of a package are over. `warn` reports " +
			"them, and fails nothing. With `fail`, for which the flag stands without a value, the " +
			"package fails. With `-explore`, `-explore_leaks` says it."},
	{Name: "exitcode", Kind: Number, Value: "N", Max: 255, Flag: true, Default: "66",
		Short: "the exit code of a program in which something was found",
		More:  "A program that ends with another code than 0 keeps it."},
	{Name: "halt_on_error", Kind: Switch, Value: "1", Flag: true, Default: "0",
		Short: "end the program at the first report"},
	{Name: "max_reports", Kind: Number, Value: "N", Max: MaxNumber, Flag: true,
		Short: "how many reports a process writes in full; 0 is all of them",
		More: "It is 10 for programs that `commute test` and `run` start, and else 0. All are in " +
			"the list at the end, and in the files of `-report`."},
	{Name: "color", Kind: Switch, Value: "1", Default: "0",
		Short: "write reports in the colors of a terminal",
		More:  "`commute test` and `run` do so where they write to one, unless NO_COLOR is set."},
	{Name: "log_path", Kind: Path, Value: "PATH", Words: []string{"stdout", "stderr"}, Flag: true,
		Default: "stderr", Short: "where reports go: PATH.pid, stdout or stderr",
		More: "pid is the number of the process on Linux, and elsewhere a number that differs."},
	{Name: "strip_path_prefix", Value: "PREFIX", Flag: true,
		Short: "what is left off the file names in reports"},
	{Name: "suppressions", Kind: File, Value: "FILE", Flag: true,
		Short: "a file that says what not to report"},
	{Name: "trace", Kind: Path, Value: "FOLDER",
		Short: "the folder that a trace is written into, where memory is watched",
		More:  "`commute test` and `commute run` have the flag `-trace` for it."},
	{Name: "trace_limit_mb", Kind: Number, Value: "N", Max: MaxNumber,
		Short: "how many megabytes of the beginning of a trace are kept",
		More:  "The flag is `-trace_limit`."},
	{Name: "trace_last_mb", Kind: Number, Value: "N", Min: 1, Max: MaxNumber,
		Short: "how many megabytes of the end of a trace are kept",
		More:  "The flag is `-trace_last`."},
	{Name: "conc_cover", Kind: Path, Value: "PATH",
		Short: "note which pairs of operations are run on one object, in PATH.pid",
		More: "`commute cover` reads such files. `commute test` and `commute run` have the flag " +
			"`-conc_cover` for it."},
	{Name: "stats", Kind: Switch, Value: "1", Flag: true, Default: "0",
		Short: "tell at the end what was watched, how many transactions were checked, and how " +
			"many conflicts they had with others"},
	{Name: "perturb", Kind: Switch, Value: "0", Default: "1",
		Short: "hold a goroutine up now and then, for 60 microseconds at most, between a check " +
			"and an act that another goroutine may come between, and before its first lock",
		More: "So more of what can happen does. A connection of `net/http` that a client is done " +
			"with is kept for a moment while another request needs one, or may: else one " +
			"goroutine of the server would serve both."},
	{Name: "atexit_sleep_ms", Kind: Number, Value: "N", Max: MaxNumber, Default: "1000",
		Short: "with `-datarace`, how long a program that ends waits for goroutines that go on",
		More:  "It doesn't wait if there are none."},
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
		b.WriteString(entry(o.Name+"="+o.Value, o.Default, o.Text()))
	}
	return b.String()
}

// Text is all that help texts say of an option, with code in backquotes.
func (o *Option) Text() string { return strings.TrimSpace(o.Short + ". " + o.More) }
