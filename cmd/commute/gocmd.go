// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/comments"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/golist"
	"github.com/commutego/commute/internal/toolchain/goversion"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// goCommand returns the subcommand that runs the go command's of that name
// under commute.
func goCommand(name string) func([]string, toolexec.Config) int {
	return func(args []string, config toolexec.Config) int {
		code, err := runGo(name, args, config)
		if err != nil {
			return fail(err)
		}
		return code
	}
}

func runGo(name string, args []string, config toolexec.Config) (int, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return 0, errors.New("the go command is not on PATH: install a release of " + goversion.Supported() + ", or mend PATH")
	}
	// The go command wants -C first, and it decides which go.mod and so which
	// toolchain counts.
	var chdir []string
	if n := chdirArgs(args); n > 0 {
		chdir, args = args[:n:n], args[n:]
	}
	env, err := goenv.Read(path, chdir)
	if err != nil {
		return 0, err
	}
	own, args, err := takeOwn(name, args)
	if err != nil {
		return 0, err
	}
	if err := checkFlags(name, args, env.GOFLAGS); err != nil {
		return 0, err
	}
	roots := specset.ModuleDirs(env.GOWORK, env.GOMOD)
	if own.strict && name == "build" {
		return 0, errors.New("-strict is about a run in which nothing was watched: it is for test and run")
	}
	if own.strict && name == "test" && !hasFlag("count", args, env.GOFLAGS) {
		args = append([]string{"-count=1"}, args...) // a cached result does not say what was watched
	}
	build := &golist.Build{Go: path, Chdir: chdir, Command: name, Args: args, Watch: own.watch, Roots: roots}
	if err := checkUnknown(name, args, build); err != nil {
		return 0, err
	}
	if args, err = record(&own, name, args); err != nil {
		return 0, err
	}
	if err := giveOptions(own, name, args); err != nil {
		return 0, err
	}
	mentions := comments.Scan(build.Folders())
	if errs := comments.Check(build, mentions); len(errs) > 0 {
		return 0, errs
	}
	isMarked, exported, err := marks(own, build, mentions.Atomic)
	if err != nil {
		return 0, err
	}
	build.Args = args
	watchArgs, args, err := watch(own, isMarked, exported, build, env)
	if err != nil {
		return 0, err
	}
	specArgs, err := giveSpecs(own.specs, build, append(watchArgs, args...), env)
	if err != nil {
		return 0, err
	}
	notice, err := toolexec.Validate(env, config)
	if err != nil {
		return 0, err
	}
	if notice != "" {
		fmt.Fprintln(os.Stderr, "commute:", notice)
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	quoted, err := quote(self)
	if err != nil {
		return 0, err
	}
	if len(roots) > 0 {
		os.Setenv(toolexec.RootVariable, strings.Join(roots, string(filepath.ListSeparator)))
	}
	argv := append([]string{path, name}, chdir...)
	argv = append(argv, "-toolexec="+quoted+" toolexec "+toolexec.Driven)
	build.Args = args
	s := &session{argv: slices.Concat(argv, specArgs, watchArgs, args), build: build, own: own, marked: isMarked, flags: env.GOFLAGS}
	return s.run()
}

// giveSpecs hands the values of -spec on, and returns flags for the go command that make it compile
// anew what is specified otherwise than before. Files are found from the folder that commute is run in.
func giveSpecs(values []string, build *golist.Build, args []string, env *goenv.Env) ([]string, error) {
	if err := specset.Give(values); err != nil {
		return nil, err
	}
	if len(values) > 0 {
		if err := unusedSpecs(build); err != nil {
			return nil, err
		}
	}
	dir, err := build.Dir()
	if err != nil {
		return nil, err
	}
	return specset.CacheFlags(dir, env.GOWORK, env.GOMOD, hasFlag("gcflags", args, env.GOFLAGS))
}

// unusedSpecs is an error for specifications of packages that the build doesn't have. Where the go command cannot say
// what it has, it is left to it to complain.
func unusedSpecs(build *golist.Build) error {
	given, err := specset.Given()
	if err != nil {
		return err
	}
	all, err := build.All()
	if err != nil || len(all) == 0 {
		return nil
	}
	var paths []string
	for _, p := range all {
		paths = append(paths, p.ImportPath)
	}
	errs, notes := specset.Unused(given, paths)
	for _, n := range notes {
		fmt.Fprintf(os.Stderr, "commute: note: %v\n", n)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// chdirArgs returns how many of the first arguments are a -C flag.
func chdirArgs(args []string) int {
	if len(args) == 0 {
		return 0
	}
	switch arg := args[0]; {
	case arg == "-C" || arg == "--C":
		return min(2, len(args))
	case strings.HasPrefix(arg, "-C=") || strings.HasPrefix(arg, "--C="):
		return 1
	}
	return 0
}

// quote makes path one word of a -toolexec flag, in which words may be quoted
// but nothing can be escaped.
func quote(path string) (string, error) {
	switch {
	case !strings.ContainsAny(path, " \t\n\r'\""):
		return path, nil
	case !strings.Contains(path, "'"):
		return "'" + path + "'", nil
	case !strings.Contains(path, "\""):
		return "\"" + path + "\"", nil
	}
	return "", fmt.Errorf("the go command cannot run a tool whose path has both kinds of quotes: move %s", path)
}
