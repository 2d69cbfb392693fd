// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/passon"
	"github.com/commutego/commute/internal/suggest"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/golist"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/internal/toolchain/target"
)

// Driven is the flag by which commute test says that it runs the go command.
const Driven = passon.Driven

// Flags stand before the tool's path where the user runs the go command: go test -toolexec="commute
// toolexec -datarace". The command line of go test isn't known there. So accesses to memory are
// watched in all packages of the main modules.
type Flags struct {
	Driven   bool // by commute test, run or build, which say all by other ways
	Datarace bool // accesses to memory are watched
	// patterns of functions that are marked as atomic; memory is watched for them too
	Atomic []string
	// files of specifications, by absolute paths, and packages of those that come with commute
	Specs []string
	Watch []string // patterns of more packages whose accesses to memory are watched
}

// ParseFlags takes the flags before the tool's path, and returns the rest.
func ParseFlags(args []string) (f Flags, tool []string, err error) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		arg := args[0]
		args = args[1:]
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		switch name {
		case Driven[1:]:
			f.Driven = true
		case "datarace":
			if !hasValue {
				value = "true"
			}
			if f.Datarace, err = strconv.ParseBool(value); err != nil {
				return f, nil, fmt.Errorf("toolexec: invalid boolean value %q for -datarace", value)
			}
		case "atomic", "spec", "watch":
			if !hasValue && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			if err := f.add(name, value); err != nil {
				return f, nil, fmt.Errorf("toolexec: %w", err)
			}
		default:
			return f, nil, fmt.Errorf("toolexec: unknown flag %s (%s)", arg, hint(name))
		}
	}
	if len(f.Watch) > 0 && !f.memory() {
		return f, nil, errors.New("toolexec: -watch says whose accesses to memory are watched; " +
			"it needs -datarace or -atomic")
	}
	return f, args, nil
}

// add takes a flag with a value.
func (f *Flags) add(name, value string) error {
	missing := value == "" || strings.HasPrefix(value, "-") ||
		name != "spec" && filepath.IsAbs(value)
	switch name {
	case "atomic":
		if missing {
			return errors.New("flag needs an argument: -atomic (a pattern of functions, as " +
				"'bank.(*Account).*', or exported)")
		}
		if strings.HasPrefix(value, transaction.ExportedOf) {
			return fmt.Errorf("-atomic %s: only commute test knows the packages of a pattern "+
				"(write exported, for all of the module)", value)
		}
		f.Atomic = append(f.Atomic, value)
		return transaction.CheckPattern(value)
	case "spec":
		file := filepath.Ext(value) == ".ecl"
		if missing || filepath.IsAbs(value) && !file {
			return errors.New("flag needs an argument: -spec (the absolute path of a .ecl file, " +
				"or a package that \"commute spec list\" shows)")
		}
		if file && !filepath.IsAbs(value) {
			return fmt.Errorf("-spec %s: the go command runs its tools in the folders of "+
				"packages (write an absolute path)", value)
		}
		f.Specs = append(f.Specs, value)
		return nil
	}
	if missing {
		return errors.New("flag needs an argument: -watch (a pattern of import paths, or std, or " +
			"all)")
	}
	if golist.Relative(value) {
		return fmt.Errorf("-watch %s: only commute test knows the folder that is meant "+
			"(write import paths; packages of the main module are watched anyway)", value)
	}
	f.Watch = append(f.Watch, value)
	return nil
}

// hint says what to do about an unknown flag.
func hint(name string) string {
	if o := option.Find(name); o != nil {
		return "set " + option.Variable + "=" + name + "=" + o.Value +
			" in the environment of what is run"
	}
	if slices.Contains(option.NamesOf("test"), name) {
		return "it is for commute test, which runs the go command itself"
	}
	if near := suggest.Typo(name, option.NamesOf("toolexec")); near != "" {
		return "did you mean -" + near + "?"
	}
	return "there are -datarace, -atomic PATTERN, -spec FILE and -watch PATTERN; commute test " +
		"has more"
}

// memory reports whether accesses to memory are watched by these flags.
func (f *Flags) memory() bool { return f.Datarace || len(f.Atomic) > 0 }

// key is what the flags add to the key of the go command's cache, with the contents of the files
// that they name. In a driven build all that they change is in the compiler's flags already.
func (f *Flags) key() (string, error) {
	if f.Driven || !f.memory() && len(f.Specs) == 0 {
		return "", nil
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q", f.Atomic, f.Watch, f.Specs)
	for _, name := range f.Specs {
		if filepath.Ext(name) != ".ecl" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, " %d ", len(text))
		h.Write(text)
	}
	return "-alone" + hex.EncodeToString(h.Sum(nil)[:6]), nil
}

// prepare sets the environment that commute test would set. It clears what an outer commute has
// set, for a test may run the go command.
func (f *Flags) prepare() error {
	if f.Driven {
		return nil
	}
	os.Unsetenv(MemoryVariable) // commute may test itself
	os.Unsetenv(specset.Variable)
	if _, placed, err := specset.Give(f.Specs); err != nil {
		return fmt.Errorf("toolexec: %w", err)
	} else if len(placed) > 0 {
		return placed
	}
	if f.memory() {
		if p := target.Current(""); !p.CompilerRace() {
			return fmt.Errorf("toolexec: -datarace and -atomic need the compiler's -race, "+
				"which does not exist for %s: drop the flags", p)
		}
		os.Setenv(MemoryVariable, "1")
	}
	os.Unsetenv(RootVariable)
	if dir, err := os.Getwd(); err == nil {
		if roots := rootsOf(dir); len(roots) > 0 {
			os.Setenv(RootVariable, strings.Join(roots, string(filepath.ListSeparator)))
		}
	}
	return nil
}

// rootsOf lists the folders of the main modules of a go command that runs in a folder. The go
// command runs the compiler in that folder, too.
func rootsOf(dir string) []string {
	work := os.Getenv("GOWORK")
	if work == "" {
		work = findAbove(dir, "go.work")
	}
	return specset.ModuleDirs(work, findAbove(dir, "go.mod"))
}

// findAbove finds a file in a folder, or in one above it, "" if there is none.
func findAbove(dir, name string) string {
	for {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// watch marks a package as watched if commute test would. These are the user's own, those of
// -watch, and a few of the standard library whose accesses are the program's.
func (f *Flags) watch(c *command.Compile, dependency func() bool) {
	if f.Driven || !f.memory() {
		return
	}
	matches := func(pattern string) bool { return golist.Match(pattern, c.Package, c.Std) }
	switch {
	case slices.Contains([]string{"testing", "container/list", "container/heap", "container/ring"},
		c.Package):
		c.Watch = c.Std
	case !c.Std && !dependency():
		c.Watch, c.Atomic = true, append(c.Atomic, f.Atomic...)
	case slices.ContainsFunc(f.Watch, matches):
		c.Watch = true
		for _, pattern := range f.Atomic {
			// that is all exported functions of the main modules
			if pattern != transaction.Exported {
				c.Atomic = append(c.Atomic, pattern)
			}
		}
	}
}
