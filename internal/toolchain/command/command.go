// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package command parses the command lines that the go command passes to -toolexec. It reads the
// arguments of the compiler that commute needs, and writes them back with some files replaced. All
// others are kept as they are.
//
// Input: a tool and its arguments. Output: a Compile.
package command

import (
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ToolName returns the name of the tool at path: "compile" for
// ".../pkg/tool/windows_amd64/compile.exe".
func ToolName(path string) string {
	name := filepath.Base(path)
	// Not filepath.Ext: a tool's name may have a dot of its own.
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = name[:len(name)-4]
	}
	return name
}

// Own is the name of a flag that the compiler doesn't know. Its value is a hash of specifications,
// and counts in the go command's cache key only.
const Own = "commutespec"

// Watch is a flag of that kind: accesses to memory by the package are to be watched.
const Watch = "commutewatch"

// Once is a flag of that kind: an access that repeats another one need not be announced.
const Once = "commuteonce"

// Atomic is a flag of that kind: its value is a pattern of functions that are marked as atomic.
const Atomic = "commuteatomic"

// IsVersion reports whether args asks a tool for its version.
func IsVersion(args []string) bool {
	return len(args) == 1 && (args[0] == "-V=full" || args[0] == "--V=full")
}

// A Compile is one parsed command line of cmd/compile.
type Compile struct {
	Package   string   // -p
	Output    string   // -o
	ImportCfg string   // -importcfg
	Lang      string   // -lang, as in "go1.26"
	TrimPath  string   // -trimpath, rewrites as in "old=>new;old=>"
	GoVersion string   // -goversion, of the go command that calls
	Std       bool     // -std: a package of the standard library
	Detector  string   // "-race", "-msan" or "-asan" if one is given
	Files     []string // the Go files, in order
	Stripped  bool     // there was a flag that only commute knows
	Watch     bool     // accesses to memory are to be watched
	Once      bool     // accesses that repeat others need not be announced
	Atomic    []string // patterns of functions that are marked as atomic

	// Profile are flags of the compiler for a profile. They are left out if the user gives one.
	Profile []string

	profiled bool     // the user does
	flags    []string // everything before Files, response files expanded
	needs    string   // the language version that the package must have at least
}

// Needs has the package compiled as one of a language version at least. It must not be later than
// go1.21: a later one changes what loops mean.
func (c *Compile) Needs(version string) { c.needs = version }

// ParseCompile parses the arguments of cmd/compile. The returned value is nil
// if they ask for no compilation (such as -V=full).
func ParseCompile(args []string) (*Compile, error) {
	args, err := expand(args)
	if err != nil {
		return nil, err
	}
	c := new(Compile)
	args = c.takeOwn(args)
	// The go command puts the files last. An argument before them ends in .go only as the value of
	// a flag, which a flag precedes. Walking back from the end needs no table of the compiler's
	// flags.
	n := len(args)
	for n > 0 && strings.HasSuffix(args[n-1], ".go") && !strings.HasPrefix(args[n-1], "-") {
		n--
	}
	c.flags, c.Files = args[:n:n], args[n:]
	c.readFlags()
	if c.Package == "" || c.Output == "" || len(c.Files) == 0 {
		return nil, nil
	}
	return c, nil
}

// takeOwn takes the flags that only commute knows out of args.
func (c *Compile) takeOwn(args []string) []string {
	own := func(arg string) bool {
		name, value, _ := cutFlag(arg)
		switch name {
		case Watch:
			c.Watch = true
		case Once:
			c.Once = true
		case Atomic:
			c.Atomic = append(c.Atomic, value)
		case Own:
		default:
			return false
		}
		return true
	}
	rest := slices.DeleteFunc(slices.Clone(args), own)
	if len(rest) == len(args) {
		return args
	}
	c.Stripped = true
	return rest
}

// readFlags reads the flags of the compiler that commute needs.
func (c *Compile) readFlags() {
	for i, arg := range c.flags {
		name, value, hasValue := cutFlag(arg)
		next := func() string {
			if hasValue {
				return value
			}
			if i+1 < len(c.flags) {
				return c.flags[i+1]
			}
			return ""
		}
		switch name {
		case "p":
			c.Package = next()
		case "o":
			c.Output = next()
		case "importcfg":
			c.ImportCfg = next()
		case "trimpath":
			c.TrimPath = next()
		case "lang":
			c.Lang = next()
		case "goversion":
			c.GoVersion = next()
		case "pgoprofile":
			c.profiled = next() != ""
		case "std":
			c.Std = !hasValue || value == "true"
		case "race", "msan", "asan":
			if !hasValue || value == "true" {
				c.Detector = "-" + name
			}
		}
	}
}

// cutFlag splits "-name=value". The name is empty if arg is no flag.
func cutFlag(arg string) (name, value string, hasValue bool) {
	if len(arg) < 2 || arg[0] != '-' {
		return "", "", false
	}
	arg = strings.TrimPrefix(arg[1:], "-")
	return strings.Cut(arg, "=")
}

// Args returns the command line with files in place of c.Files.
func (c *Compile) Args(files []string) []string {
	args := make([]string, 0, len(c.flags)+len(files)+2)
	if c.Watch {
		// With -race the compiler also has pointer conversions checked, which may end a program.
		args = append(args, "-race", "-d=checkptr=0")
	}
	args = append(args, c.flags...)
	if !c.profiled {
		args = append(args, c.Profile...)
	}
	if c.needs != "" && c.Lang != "" && version.Compare(c.Lang, c.needs) < 0 {
		args = append(args, "-lang="+c.needs)
	}
	for _, flag := range []string{"-N", "-l"} {
		if c.Std && optimized(c.Package) && slices.Contains(c.flags, flag) {
			args = append(args, flag+"=0")
		}
	}
	return append(args, files...)
}

// optimized reports whether a package must be compiled with optimizations. The hooks are called
// where stacks must not grow, and without optimizations they, and what they call, take more stack
// than there is.
func optimized(pkg string) bool {
	return pkg == "runtime" || strings.HasPrefix(pkg, "internal/runtime/") ||
		pkg == "internal/abi" || pkg == "internal/goarch"
}

// Dir is the object directory of the package in the go command's work
// directory. It is in -trimpath and is removed by the go command.
func (c *Compile) Dir() string { return filepath.Dir(c.Output) }

// expand replaces response files (@file, one argument a line) as
// cmd/internal/objabi.Flagparse does.
func expand(args []string) ([]string, error) {
	var out []string
	for i, arg := range args {
		if !strings.HasPrefix(arg, "@") {
			if out != nil {
				out = append(out, arg)
			}
			continue
		}
		if out == nil {
			out = append(out, args[:i]...)
		}
		data, err := os.ReadFile(arg[1:])
		if err != nil {
			return nil, fmt.Errorf("reading response file: %w", err)
		}
		text := strings.TrimSpace(strings.ReplaceAll(string(data), "\r", ""))
		if text == "" {
			continue
		}
		for line := range strings.SplitSeq(text, "\n") {
			out = append(out, decode(line))
		}
	}
	if out == nil {
		return args, nil
	}
	return out, nil
}

// decode undoes the go command's quoting of one line of a response file:
// a backslash as \\ and a newline as \n.
func decode(line string) string {
	if !strings.Contains(line, "\\") {
		return line
	}
	var b strings.Builder
	escaped := false
	for _, r := range line {
		switch {
		case !escaped && r == '\\':
			escaped = true
			continue
		case escaped && r == 'n':
			b.WriteByte('\n')
		case escaped && r != '\\':
			// The go command writes no other escape; keep what came.
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		escaped = false
	}
	return b.String()
}
