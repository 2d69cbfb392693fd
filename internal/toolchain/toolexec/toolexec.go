// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package toolexec is the program that "go build -toolexec" runs in place of each tool. It changes
// what the compiler is given, and passes all other tools on as they are.
//
// Input: a tool and its arguments. Output: the tool's own, with the exit code.
//
// # Terms
//
//	unit           the package of one run of the compiler
//	pass           a part of commute that reads the unit and returns its edits
//	dependency     a package that is not the user's to change: its mistakes are not reported
//	driven         of a build: commute test, run or build has started the go command
//	specification  an ecl.Spec of a type: the package's own, given with -spec, or shipped
//	mark           text in an archive by which a specification reaches the packages that import it
//
// # What happens to a package
//
//   - The command line is parsed. -V=full is answered with a key of the build cache.
//   - The passes are made in order, on the source as it is, and their edits are collected.
//   - Changed files are written beside the object file, under line directives of the originals.
//   - The compiler runs. If it fails, it runs on the original: the user sees errors of that.
//   - If only the changed package fails, a specification is at fault, or commute is.
//   - Of what announces accesses to memory, package elide leaves out of the object what repeats.
//
// A package of the standard library is compiled as it is, but for the patches of package patch.
// Those below the hooks announce nothing: they would call themselves.
package toolexec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/bundle"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/internal/toolchain/version"
)

// ExitUsage is the exit code for mistakes in the environment, and for defects of commute.
const ExitUsage = 2

// Config is what the driver puts into programs.
type Config struct {
	Engine    bundle.Engine
	Templates fs.FS // files of package runtime, at its top
	// Specs returns the specifications of all types, or of those of one package if its import path
	// is not empty.
	Specs func(importPath string) []*ecl.Spec
}

// A Driver runs one tool.
type Driver struct {
	Config
	Stdout, Stderr io.Writer

	flags Flags
}

// Run runs the tool args[0] with the other args and returns its exit code. On systems that can
// replace a process it does not return if there is nothing to change.
func (d *Driver) Run(args []string) int {
	code, err := d.run(args)
	var source *sourceError
	var placed ecl.Errors
	switch {
	case errors.As(err, &source):
		fmt.Fprintln(d.Stderr, source)
		return 1
	case errors.As(err, &placed):
		fmt.Fprintln(d.Stderr, placed)
		return ExitUsage
	case err != nil:
		fmt.Fprintf(d.Stderr, "commute: %v\n", err)
		return ExitUsage
	}
	return code
}

// run decides what to do with the tool: only a compile of a package is changed.
func (d *Driver) run(args []string) (int, error) {
	flags, args, err := ParseFlags(args)
	if err != nil {
		return 0, err
	}
	if d.flags = flags; len(args) == 0 {
		return 0, errors.New("toolexec is for the go command: run \"commute test\" or go test " +
			"-toolexec=\"commute toolexec\"")
	}
	tool, rest := args[0], args[1:]
	if command.ToolName(tool) != "compile" {
		return Replace(args)
	}
	if err := d.flags.prepare(); err != nil {
		return 0, err
	}
	if command.IsVersion(rest) {
		return d.version(tool, rest)
	}
	c, err := command.ParseCompile(rest)
	if err != nil {
		return 0, err
	}
	if c == nil {
		return Replace(args)
	}
	if c.Detector != "" {
		return 0, DetectorError(c.Detector)
	}
	u := d.newUnit(c)
	d.flags.watch(c, func() bool { return u.source.Sources() != nil || u.dependency() })
	if c.Std && below(c.Package) {
		c.Watch, c.Atomic = false, nil
	}
	if c.Stripped {
		rest = c.Args(c.Files)
	}
	code, err := d.compile(tool, rest, u)
	if code == 0 && err == nil && u.elides() {
		u.elide(tool)
	}
	return code, err
}

// MemoryVariable is the environment variable that is 1 in a build in which accesses to memory are
// watched, for data races and for transactions.
const MemoryVariable = "COMMUTE_DATARACE"

// ExploreVariable is the environment variable that is 1 in a build in which schedules are explored.
const ExploreVariable = "COMMUTE_EXPLORING"

func explores() bool { return os.Getenv(ExploreVariable) == "1" }

// Perturbs is the value of that variable in a build in which schedules are perturbed.
const Perturbs = "perturb"

func perturbs() bool { return os.Getenv(ExploreVariable) == Perturbs }

func watchesMemory() bool { return os.Getenv(MemoryVariable) == "1" }

// DetectorError is the error for a build with a sanitizer: it takes the same hooks.
func DetectorError(flag string) error {
	return fmt.Errorf("%s and commute cannot watch one program at once: run \"go test %s\" on its "+
		"own, or drop the flag", flag, flag)
}

// version answers -V=full for the compiler. The go command takes the answer into the key of its
// cache. So all that changes what is compiled has to be in it: the engine, the templates,
// specifications and flags.
func (d *Driver) version(tool string, args []string) (int, error) {
	cmd := exec.Command(tool, args...)
	cmd.Stderr = d.Stderr
	out, err := cmd.Output()
	if err != nil {
		return exitCode(err)
	}
	key, err := version.Key(d.Engine.FS, d.Templates)
	if err != nil {
		return 0, err
	}
	if specs := os.Getenv(specset.KeyVariable); specs != "" {
		key += "-" + specs
	}
	if watchesMemory() {
		key += "-memory"
	}
	if explores() {
		key += "-explore"
	}
	if perturbs() {
		key += "-perturb"
	}
	flags, err := d.flags.key()
	if err != nil {
		return 0, err
	}
	key += flags
	line, goVersion, err := version.Line(string(out), key)
	if err != nil {
		return 0, err
	}
	if err := verifyTool(tool, goVersion); err != nil {
		return 0, err
	}
	fmt.Fprintln(d.Stdout, line)
	return 0, nil
}

// verifyTool verifies the release of a tool.
func verifyTool(tool, goVersion string) error {
	root := goroot(tool)
	if os.Getenv(verifiedVariable) == root {
		return nil // by the command that runs the go command that runs this one
	}
	_, err := release.Verify(root, goVersion)
	return err
}

// exitCode returns the exit code that err from package exec stands for.
func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// compile runs the compiler on the changed package.
func (d *Driver) compile(tool string, original []string, u *unit) (int, error) {
	large := u.isLarge()
	if large {
		collectMore()
	}
	change, err := u.plan(passes)
	if u.unreadable() != nil {
		return d.refuse(tool, original, u)
	}
	if err != nil {
		return 0, err
	}
	if change.Empty() {
		return d.last(tool, original, u)
	}
	args, err := u.write(change)
	if err != nil {
		if d.withoutSections(tool, u) {
			return 0, nil
		}
		return 0, err
	}
	if u.Std {
		collectLess(u.Package)
		// No user can mend this package, so its errors are best seen as they are.
		return d.last(tool, args, u)
	}
	if large {
		debug.FreeOSMemory() // the compiler needs it
	}
	var output bytes.Buffer
	err = runTool(tool, args, &output, &output)
	if err == nil {
		d.Stdout.Write(output.Bytes())
		return 0, nil
	}
	// Most likely the user's own error: show it as the compiler words it, for the
	// file that they wrote.
	if err := runTool(tool, original, d.Stdout, d.Stderr); err != nil {
		return exitCode(err)
	}
	if d.withoutSections(tool, u) {
		u.remark("package %s: no %s, as it does not compile with them:\n%s", u.Package,
			criticalSections, output.String())
		return 0, nil
	}
	return d.explain(tool, u, output.String())
}

// explain says why a package compiles on its own, but not as commute changed it. Expressions in
// specifications are Go, and may not compile: then the compiler's errors point there. A dependency
// is compiled without its specifications.
func (d *Driver) explain(tool string, u *unit, output string) (int, error) {
	applied, err := u.applied()
	if err != nil {
		return 0, err
	}
	if blames(output, applied.places) {
		if u.dependency() && !blames(output, applied.given) {
			fmt.Fprintf(d.Stderr, "commute: package %s: its specifications are left out, for they "+
				"do not compile:\n%s", u.Package, output)
			return d.compileWithoutSpecs(tool, u)
		}
		return 0, &sourceError{strings.TrimRight(output, "\n")}
	}
	return 0, fmt.Errorf("package %s compiles on its own but not as commute changed it; this is a "+
		"defect of commute, please report it with this output:\n%s", u.Package, output)
}
