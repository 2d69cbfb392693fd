// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// kinds are the names of the operations of which there are pairs.
var kinds = map[engine.Kind]string{
	engine.Lock: "Lock", engine.WLock: "Lock", engine.RLock: "RLock", engine.Send: "Send",
	engine.Recv: "Receive", engine.Close: "Close", engine.Select: "Select", engine.Atomic: "Atomic",
	engine.Load: "Load", engine.Begin: "Call", engine.Wait: "Wait", engine.Signal: "Signal",
}

var kindNames = func() map[string]bool {
	names := make(map[string]bool)
	for _, name := range kinds {
		names[name] = true
	}
	return names
}()

// shownMissing is how many orders that are missing a line names.
const shownMissing = 2

// Line says in a line what was covered. It is "" if there are no pairs.
func (c *Cover) Line() string {
	both, all := c.Pairs()
	if all == 0 {
		return ""
	}
	pairs := "pairs"
	if all == 1 {
		pairs = "pair"
	}
	text := fmt.Sprintf("%d of %d %s of operations seen in both orders", both, all, pairs)
	missing := c.Missing()
	for i, o := range missing {
		switch {
		case i == 0:
			text += "; not: "
		case i == shownMissing:
			return text + fmt.Sprintf(", and %d more", len(missing)-i)
		default:
			text += ", "
		}
		text += o.Before.short() + " before " + o.After.short()
	}
	return text
}

// Print writes what was covered: the tests, how many pairs were seen in both orders, and which
// orders are missing.
func (c *Cover) Print(w io.Writer) {
	for _, line := range c.testLines() {
		fmt.Fprintln(w, line)
	}
	both, all := c.Pairs()
	fmt.Fprintf(w, "%d of %s of operations seen in both orders: %d%%\n", both, count(all, "pair"),
		c.Percent())
	for _, o := range c.Missing() {
		fmt.Fprintf(w, "not: %v\n", o)
	}
}

// testLines says of each test, with all of its seeds, how many runs it had. The shards of a seed
// count together.
func (c *Cover) testLines() (lines []string) {
	list := c.sortedTests()
	for len(list) > 0 {
		n, first := 0, list[0]
		for n < len(list) && list[n].pkg == first.pkg && list[n].test == first.test {
			n++
		}
		lines = append(lines, c.testLine(list[:n]))
		list = list[n:]
	}
	return lines
}

// testLine is the line of one test. What is certain of all shards of a seed is certain of all runs.
func (c *Cover) testLine(list []coverTest) string {
	pkg, test := list[0].pkg, list[0].test
	runs, switches, fails := 0, 0, false
	for len(list) > 0 { // those of one seed, and of as many shards
		n, least, of := 0, mostSwitches, list[0].shard.Of
		for seed := list[0].seed; n < len(list) && list[n].seed == seed && list[n].shard.Of == of; n++ {
			r := c.tests[list[n]]
			runs += r.runs
			least = min(least, r.switches)
			fails = fails || r.fails
		}
		if n == max(1, of) {
			switches = max(switches, least)
		}
		list = list[n:]
	}
	line := fmt.Sprintf("explored %s of %s: %s", test, pkg, count(runs, "run"))
	switch {
	case fails:
		line += "; it fails"
	case switches > 0:
		line += "; " + noSchedule(switches)
	}
	return line
}

// noSchedule says that none fails with at most so many forced switches.
func noSchedule(switches int) string {
	if switches == 1 {
		return "no schedule with at most 1 forced switch fails"
	}
	return fmt.Sprintf("no schedule with at most %d forced switches fails", switches)
}

// coverPrefix begins the names of the files of Covers in the folder for what is told at the end.
const coverPrefix = "cover-"

// tellCover writes a Cover for the end, to a file of its own.
func tellCover(dir string, c *Cover) error {
	f, err := os.CreateTemp(dir, coverPrefix)
	if err != nil {
		return err
	}
	f.Close()
	return c.Write(f.Name())
}

// Covered reads the orders that the test binaries have covered, from files in a folder.
func Covered(dir string) (*Cover, error) {
	files, _ := filepath.Glob(filepath.Join(dir, coverPrefix+"*"))
	c := new(Cover)
	for _, name := range files {
		one, err := ReadCover(name)
		if err != nil {
			return nil, err
		}
		c.Merge(one)
	}
	return c, nil
}
