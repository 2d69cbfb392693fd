// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/commutego/commute/internal/explore"
)

// exitUncovered is the exit code if fewer orders of operations were seen than is asked for.
const exitUncovered = 1

// A coverSetting says what becomes of the orders of operations that were seen.
type coverSetting struct {
	file  string // where they are added, "" for nowhere
	least int    // how many percent of the pairs are to be seen in both orders
}

func setExploreAll(own *setting, value string) (err error) {
	own.needsExplore = "-explore_all says what is explored after a failure"
	own.plan().All, err = strconv.ParseBool(value)
	return err
}

func setExploreCover(own *setting, value string) error {
	own.needsExplore = "-explore_cover says where what was explored is written"
	own.plan()
	own.cover.file = value
	return nil
}

func setExploreCoverMin(own *setting, value string) (err error) {
	own.needsExplore = "-explore_cover_min says how much has to be explored"
	own.plan()
	own.cover.least, err = parsePercent("-explore_cover_min", value)
	return err
}

func parsePercent(flag, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > 100 {
		return 0, fmt.Errorf("%s=%s: want a percentage from 0 to 100", flag, value)
	}
	return n, nil
}

// check refuses a file that can't be added to.
func (s *coverSetting) check() error {
	if s.file == "" {
		return nil
	}
	if dir, err := os.Stat(filepath.Dir(s.file)); err != nil || !dir.IsDir() {
		return fmt.Errorf("-explore_cover=%s: there is no folder %s", s.file, filepath.Dir(s.file))
	}
	_, err := explore.ReadCover(s.file)
	return err
}

// An uncovered says that less was covered than is asked for.
type uncovered string

func (u uncovered) Error() string { return string(u) }

// finish adds what the test binaries have told in a folder to the file, and says it in a line. The
// error is an uncovered if it is less than is asked for.
func (s *coverSetting) finish(told string) (line string, err error) {
	c, err := explore.Covered(told)
	if err != nil {
		return "", err
	}
	if s.file != "" {
		old, err := explore.ReadCover(s.file)
		if err != nil {
			return "", err
		}
		c.Merge(old)
		if err := c.Write(s.file); err != nil {
			return "", err
		}
	}
	return c.Line(), s.enough(c, "-explore_cover_min")
}

// enough is an error if less was covered than is asked for.
func (s *coverSetting) enough(c *explore.Cover, flag string) error {
	if got := c.Percent(); got < s.least {
		return uncovered(fmt.Sprintf("%s: %d%% of the pairs of operations were seen in both orders, "+
			"and %d%% are asked for", flag, got, s.least))
	}
	return nil
}

// exploreProcs is how many test binaries are to run at once: as many as there are processors, and
// as -p says, but not more than there is memory for, with a gigabyte for each.
func exploreProcs(p string) int {
	n := runtime.GOMAXPROCS(0)
	if given, err := strconv.Atoi(p); err == nil && given > 0 {
		n = min(n, given)
	}
	if free := explore.FreeMemory(); free > 0 {
		n = min(n, int(free>>30))
	}
	return max(1, n)
}

// show is commute cover of files that explored tests have written.
func (s *coverSetting) show(files []string) int {
	all := new(explore.Cover)
	for _, name := range files {
		c, err := explore.ReadCover(name)
		if err != nil {
			return fail(err)
		}
		all.Merge(c)
	}
	if s.file != "" {
		if err := all.Write(s.file); err != nil {
			return fail(err)
		}
	}
	all.Print(os.Stdout)
	if err := s.enough(all, "cover -min"); err != nil {
		fail(err)
		return exitUncovered
	}
	return 0
}
