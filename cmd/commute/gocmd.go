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

// goCommand returns the subcommand that runs the go command's of that name under commute.
func goCommand(name string) func([]string, toolexec.Config) int {
	return func(args []string, config toolexec.Config) int {
		code, err := runGo(name, args, config)
		if err != nil {
			return fail(err)
		}
		return code
	}
}

// runGo checks the command line and the source, and then runs the go command.
func runGo(name string, args []string, config toolexec.Config) (int, error) {
	c, err := readLine(name, args)
	if err != nil {
		return 0, err
	}
	if err := c.checkSource(); err != nil {
		return 0, err
	}
	if err := c.checkPredict(); err != nil {
		return 0, err
	}
	flags, args, err := c.goFlags()
	if err != nil {
		return 0, err
	}
	notice, err := toolexec.Validate(c.env, config, ownCache())
	if err != nil {
		return 0, err
	}
	if notice != "" {
		fmt.Fprintln(os.Stderr, "commute:", notice)
	}
	s, err := c.session(flags, args)
	if err != nil {
		return 0, err
	}
	return s.run()
}

// ownCache is the folder for what commute would otherwise find out again, "" if the user has none.
func ownCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "commute")
}

// A goCall is a call of the go command that is being prepared.
type goCall struct {
	env      *goenv.Env
	own      setting
	build    *golist.Build
	marked   bool             // there is code that is marked as atomic
	exported []golist.Package // those whose exported functions -atomic marks
}

// readLine reads a command line, and refuses the mistakes in it that don't depend on the source.
func readLine(name string, args []string) (*goCall, error) {
	raw := args
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, errors.New("the go command is not on PATH: install a release of " +
			strings.ReplaceAll(goversion.Supported(), " and ", " or ") + ", or mend PATH")
	}
	// The go command wants -C first, and it decides which go.mod and so which
	// toolchain counts.
	var chdir []string
	if n := chdirArgs(args); n > 0 {
		chdir, args = args[:n:n], args[n:]
		raw = args
	}
	c := new(goCall)
	if c.env, err = goenv.Read(path, chdir); err != nil {
		return nil, err
	}
	if c.own, args, err = takeOwn(name, args); err != nil {
		return nil, err
	}
	if err := checkFlags(name, args, c.env.GOFLAGS); err != nil {
		return nil, err
	}
	if c.own.strict && name == "build" {
		return nil, errors.New("-strict is about a run in which nothing was watched: it is for " +
			"test and run")
	}
	if (c.own.strict || c.own.update) && name == "test" && !hasFlag("count", args, c.env.GOFLAGS) {
		// a cached result does not say what was watched
		args = append([]string{"-count=1"}, args...)
	}
	roots := specset.ModuleDirs(c.env.GOWORK, c.env.GOMOD)
	c.build = &golist.Build{Go: path, Chdir: chdir, Command: name, Args: args, Watch: c.own.watch,
		Roots: roots}
	if err := checkUnknown(name, args, c.build); err != nil {
		return nil, err
	}
	if args, err = record(&c.own, name, args); err != nil {
		return nil, err
	}
	if args, err = concCoverArgs(&c.own, name, args, c.env.GOFLAGS); err != nil {
		return nil, err
	}
	if args, err = c.exploreArgs(args); err != nil {
		return nil, err
	}
	if args, err = c.confirmArgs(raw, args); err != nil {
		return nil, err
	}
	c.build.Args = args
	if err := c.findConcPackages(); err != nil {
		return nil, err
	}
	return c, giveOptions(&c.own, name, args)
}

// checkSource returns all mistakes in comments, specifications, and patterns of functions.
func (c *goCall) checkSource() error {
	mentions := comments.Scan(c.build.Folders())
	errs := comments.Check(c.build, mentions)
	given, placed, other := specset.Give(c.own.specs)
	misfits, notes := comments.Given(c.build, given)
	for _, n := range notes {
		fmt.Fprintf(os.Stderr, "commute: note: %v\n", n)
	}
	errs = comments.Sorted(slices.Concat(errs, placed, misfits))
	switch {
	case other != nil && len(errs) > 0:
		return errors.Join(other, errs)
	case other != nil:
		return other
	case len(errs) > 0:
		return errs
	}
	var err error
	c.marked, c.exported, err = marks(c.own, c.build, mentions.Atomic)
	return err
}

// goFlags returns flags for the go command, and the arguments that are to follow them. By these it
// has accesses to memory watched, and compiles packages anew whose specifications have changed.
func (c *goCall) goFlags() (flags, args []string, err error) {
	dir, err := c.build.Dir()
	if err != nil {
		return nil, nil, err
	}
	users := hasFlag("gcflags", c.build.Args, c.env.GOFLAGS)
	specArgs, every, err := specset.CacheFlags(dir, c.env.GOWORK, c.env.GOMOD, users)
	if err != nil {
		return nil, nil, err
	}
	watchArgs, args, err := watch(c.own, c.marked, c.exported, c.build, c.env, every)
	return append(specArgs, watchArgs...), args, err
}

// session is the call with this program as the tool that runs all others.
func (c *goCall) session(flags, args []string) (*session, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	quoted, err := quote(self)
	if err != nil {
		return nil, err
	}
	if roots := c.build.Roots; len(roots) > 0 {
		os.Setenv(toolexec.RootVariable, strings.Join(roots, string(filepath.ListSeparator)))
	}
	user := ""
	if c.own.predict {
		user, args = takeExec(c.build.Command, args, c.env)
	}
	argv := append([]string{c.build.Go, c.build.Command}, c.build.Chdir...)
	argv = append(argv, "-toolexec="+quoted+" toolexec "+toolexec.Driven)
	c.build.Args = args
	return &session{
		argv: slices.Concat(argv, flags, args), build: c.build, own: c.own, marked: c.marked,
		flags: c.env.GOFLAGS, exec: user,
		release: c.env.GOVERSION,
	}, nil
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

// quote makes path one word of a -toolexec flag, in which words may be quoted but nothing can be
// escaped.
func quote(path string) (string, error) {
	switch {
	case !strings.ContainsAny(path, " \t\n\r'\""):
		return path, nil
	case !strings.Contains(path, "'"):
		return "'" + path + "'", nil
	case !strings.Contains(path, "\""):
		return "\"" + path + "\"", nil
	}
	return "", fmt.Errorf("the go command cannot run a tool whose path has both kinds of quotes: "+
		"move %s", path)
}
