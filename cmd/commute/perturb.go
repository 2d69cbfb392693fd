// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/commutego/commute/internal/child"
	"github.com/commutego/commute/internal/explore"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/goversion"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/target"
)

// perturb has schedules perturbed if they can't be controlled, or shall not be, and says so. Such a
// run can't be replayed.
func (c *goCall) perturb(plan *explore.Plan) error {
	why := uncontrolled(c.env)
	switch {
	case plan.Perturb:
		why, plan.Asked = "-explore_perturb", true
	case why == "":
		return nil
	case plan.Replay != "" || plan.File != "":
		return fmt.Errorf("-replay: schedules can't be controlled here: %s", why)
	default:
		plan.Perturb = true
	}
	switch {
	case plan.Policies != "":
		return fmt.Errorf("-explore_policy: schedules are not controlled (%s)", why)
	case plan.All:
		return fmt.Errorf("-explore_all: schedules are not controlled (%s)", why)
	case c.own.cover != coverSetting{}:
		return fmt.Errorf("-explore_cover: schedules are not controlled (%s)", why)
	case plan.Shard != explore.Shard{}:
		return fmt.Errorf("-explore_shard: schedules are not controlled (%s)", why)
	}
	fmt.Fprintf(os.Stderr, "commute: schedules are not controlled (%s): goroutines are held up at "+
		"random instead, and a failure can't be replayed exactly\n", why)
	return nil
}

// explorable says why schedules can't be controlled for a platform, but for what differs in a
// release that is known.
func explorable(p target.Platform) error {
	if !p.Explores() {
		return fmt.Errorf("that works on linux/amd64, linux/arm64 and linux/386, and this is %s", p)
	}
	minor, _ := goversion.Minor(p.Release)
	if _, ok, err := release.ForExplore(minor); err != nil || !ok {
		return fmt.Errorf("that works with %s, and this is %s", goversion.Supported(), p.Release)
	}
	return nil
}

// uncontrolled says why schedules can't be controlled for a platform and a release, "" if they can.
func uncontrolled(env *goenv.Env) string {
	if p := target.Current(env.GOVERSION); !p.Explores() {
		return explorable(p).Error()
	}
	if goversion.Check(env.GOVERSION) != nil {
		return "" // it is refused later
	}
	if err := release.VerifyExplore(env.GOROOT, env.GOVERSION); err != nil {
		return err.Error()
	}
	return ""
}

// explored runs the go command where programs can't say what they have watched, and says what was
// explored.
func (s *session) explored() (int, error) {
	told, err := s.tellExplored(filepath.Join(os.TempDir(), "x"))
	if err != nil {
		return 0, err
	}
	state, err := child.Run(s.argv)
	if err != nil {
		return 0, err
	}
	line, err := told()
	if line != "" {
		fmt.Fprintln(os.Stderr, "commute:", line)
	}
	if err != nil {
		return 0, err
	}
	child.Exit(state)
	return 0, nil // not reached
}
