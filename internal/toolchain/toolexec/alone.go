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
	"github.com/commutego/commute/internal/suggest"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/internal/toolchain/target"
)

// Driven is the flag by which commute test says that it runs the go command.
const Driven = "-driven"

// Flags are what stands before the tool's path where the go command is run by the user: go test
// -toolexec="commute toolexec -datarace". No command line of go test's is known there, so that
// accesses to memory are watched in all packages of the main modules.
type Flags struct {
	Driven   bool     // by commute test, run or build, which say all by other ways
	Datarace bool     // accesses to memory are watched
	Atomic   []string // patterns of functions that are marked as atomic; memory is watched for them too
}

// ParseFlags takes the flags before the tool's path.
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
		case "atomic":
			if !hasValue && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			switch err := transaction.CheckPattern(value); {
			case value == "" || strings.HasPrefix(value, "-") || filepath.IsAbs(value):
				return f, nil, errors.New("toolexec: flag needs an argument: -atomic (a pattern of functions, as 'bank.(*Account).*', or exported)")
			case strings.HasPrefix(value, transaction.ExportedOf):
				return f, nil, fmt.Errorf("toolexec: -atomic %s: only commute test knows the packages of a pattern (write exported, for all of the module)", value)
			case err != nil:
				return f, nil, fmt.Errorf("toolexec: %w", err)
			}
			f.Atomic = append(f.Atomic, value)
		default:
			hint := "there are -datarace and -atomic PATTERN; commute test has more"
			if near := suggest.Typo(name, []string{"datarace", "atomic"}); near != "" {
				hint = "did you mean -" + near + "?"
			}
			return f, nil, fmt.Errorf("toolexec: unknown flag %s (%s)", arg, hint)
		}
	}
	return f, args, nil
}

// memory reports whether accesses to memory are watched by these flags.
func (f *Flags) memory() bool { return f.Datarace || len(f.Atomic) > 0 }

// key is what the flags add to the key of the go command's cache. Not all that they change is in the flags of the
// compiler, as it is where commute test runs the go command.
func (f *Flags) key() string {
	if !f.memory() || f.Driven {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(f.Atomic, "\n")))
	return "-alone" + hex.EncodeToString(sum[:6])
}

// prepare sets the environment that commute test would set.
func (f *Flags) prepare() error {
	if f.Driven {
		return nil
	}
	os.Unsetenv(MemoryVariable) // commute may test itself
	if f.memory() {
		if p := target.Current(""); !p.CompilerRace() {
			return fmt.Errorf("toolexec: -datarace and -atomic need the compiler's -race, which does not exist for %s: drop the flags", p)
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

// rootsOf lists the folders of the main modules of a go command that runs in a folder: it runs the compiler
// there too.
func rootsOf(dir string) []string {
	work := os.Getenv("GOWORK")
	if work == "" {
		work = above(dir, "go.work")
	}
	return specset.ModuleDirs(work, above(dir, "go.mod"))
}

// above finds a file in a folder, or in one above it; "" if there is none.
func above(dir, name string) string {
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

// tell has a package watched as commute test would.
func (f *Flags) tell(c *command.Compile, dependency func() bool) {
	if f.Driven || !f.memory() {
		return
	}
	switch {
	case slices.Contains([]string{"testing", "container/list", "container/heap", "container/ring"}, c.Package):
		c.Watch = c.Std
	case !c.Std && !dependency():
		c.Watch, c.Atomic = true, append(c.Atomic, f.Atomic...)
	}
}
