// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"github.com/commutego/commute/internal/conccover"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

const coverHelp = `usage: commute cover [-min N] [-o FILE] FILE...
       commute cover [-func] [-html PAGE] [-count WHAT] [-pkg PATTERNS] [-min N] [-o FILE]
                     PROFILE...

Shows what files have that commute test -conc_cover=PROFILE writes, and programs with
COMMUTE=conc_cover=PATH: which pairs of operations on one object or lock ran, and how. It lists
the pairs that are not covered: calls that were never unordered, and critical sections that
were never run in both orders by two goroutines. What one of the files has counts.

	-func      print a line for each object instead
	-html PAGE write a page with the source to the file PAGE
	-count WHAT
	           which pairs of calls count: "methods" that were both called on an object (the
	           default), "places" that two goroutines ran on one object, or, of each type, all
	           methods: "types"
	-pkg PATTERNS
	           only what is in packages that match, as -pkg=./store/...,example.com/db
	-min N     exit with code 1 if less than N percent of the pairs are covered
	-o FILE    write what all files have to this one

Of files that commute test -explore -explore_cover=FILE has written, it prints what was explored:
the tests, how many pairs of operations were seen in both orders, and the orders that are missing.
-min and -o are as above.
`

// A coverCall is a command line of commute cover.
type coverCall struct {
	coverSetting
	min   float64 // -min
	table bool    // -func
	page  string  // -html
	count conccover.Count
	first string // the first of the flags that are for profiles alone
	files []string
	of    func(path string) bool // -pkg, nil for all packages
}

// coverFlags are the flags of commute cover.
var coverFlags = []string{"min", "o", "func", "html", "count", "pkg"}

// cover is commute cover.
func cover(args []string, _ toolexec.Config) int {
	c := &coverCall{count: conccover.ByMethods}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, given := cutFlag(arg)
		switch {
		case name == "":
			c.files = append(c.files, arg)
			continue
		case name == "func" && !given:
			value = "true"
		case !known(name):
			return misused("cover has no flag %s (there are -min, -o, -func, -html, -count and -pkg)", arg)
		case !given && len(args) == 0:
			return misused("cover -%s needs a value", name)
		case !given:
			value, args = args[0], args[1:]
		}
		if err := c.set(name, value); err != nil {
			return fail(err)
		}
	}
	if len(c.files) == 0 {
		if c.table || c.page != "" {
			return misused("cover -%s: name the profiles behind the flags, as in commute cover "+
				"-func conc.out", c.first)
		}
		fmt.Fprint(os.Stderr, coverHelp)
		return toolexec.ExitUsage
	}
	return c.run()
}

func known(flag string) bool {
	for _, name := range coverFlags {
		if flag == name {
			return true
		}
	}
	return false
}

// set sets a flag.
func (c *coverCall) set(name, value string) (err error) {
	if name != "min" && name != "o" && c.first == "" {
		c.first = name
	}
	if value == "" {
		return fmt.Errorf("cover -%s needs a value", name)
	}
	switch name {
	case "o":
		c.file = value
	case "min":
		if c.min, err = strconv.ParseFloat(value, 64); err != nil || !(c.min >= 0 && c.min <= 100) {
			return fmt.Errorf("cover -min=%s: want a percentage from 0 to 100", value)
		}
	case "func":
		if c.table, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("cover -func=%s: the flag has no value; name profiles behind it, as "+
				"in commute cover -func %[1]s", value)
		}
	case "html":
		c.page = value
	case "pkg":
		return c.setPackages(value)
	case "count":
		if c.count, err = conccover.ParseCount(value); err != nil {
			return fmt.Errorf("cover -count=%s: %w", value, err)
		}
	}
	return nil
}

// run shows the files, which are all of one kind.
func (c *coverCall) run() int {
	profiles := 0
	for _, name := range c.files {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			return misused("there is no file %s", name)
		}
		if err != nil {
			return fail(err)
		}
		if !bytes.HasPrefix(text, []byte("commute cover ")) {
			profiles++
		}
	}
	switch {
	case profiles == len(c.files):
		return c.profiles()
	case profiles > 0:
		return misused("cover: some of the files are of -explore_cover, and some of -conc_cover: " +
			"show them one kind at a time")
	case c.first != "":
		return misused("cover -%s is for profiles of -conc_cover, and %s is of -explore_cover",
			c.first, c.files[0])
	case c.min != float64(int(c.min)):
		return misused("cover -min=%v: of files of -explore_cover it is a whole number", c.min)
	}
	c.least = int(c.min)
	return c.show(c.files)
}

// profiles is commute cover of profiles of concurrency coverage.
func (c *coverCall) profiles() int {
	all := new(conccover.Profile)
	for _, name := range c.files {
		p, err := conccover.Read(name)
		if err != nil {
			return fail(err)
		}
		all.Merge(p)
	}
	all, err := c.only(all)
	if err != nil {
		return fail(err)
	}
	if c.file != "" {
		if err := all.Write(c.file); err != nil {
			return fail(err)
		}
	}
	groups := all.Groups(c.count)
	if err := c.write(all, groups); err != nil {
		return fail(err)
	}
	covered, of := conccover.Sum(groups)
	if got := conccover.Percent(covered, of); got < c.min {
		fmt.Fprintf(os.Stderr, "commute: cover -min: concurrency coverage is %s, and %v%% is asked "+
			"for\n", conccover.Part(covered, of), c.min)
		return exitUncovered
	}
	return 0
}

// write writes what the flags ask for.
func (c *coverCall) write(p *conccover.Profile, groups []conccover.Group) error {
	switch {
	case c.page != "":
		return c.writePage(p, groups)
	case c.table:
		return conccover.Table(os.Stdout, groups)
	}
	return conccover.Missing(os.Stdout, groups)
}

// writePage writes the page of -html.
func (c *coverCall) writePage(p *conccover.Profile, groups []conccover.Group) error {
	if text, err := os.ReadFile(c.page); err == nil && conccover.Is(text) {
		return fmt.Errorf("cover -html %s: that is a profile, and the page would take its place: "+
			"name another file, as in commute cover -html page.html %[1]s", c.page)
	}
	var b bytes.Buffer
	if err := conccover.HTML(&b, p, groups, conccover.NewSources(".")); err != nil {
		return err
	}
	return conccover.WriteFile(c.page, b.Bytes())
}
