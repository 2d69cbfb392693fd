// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/commutego/commute/internal/explore"
	"github.com/commutego/commute/internal/toolchain/target"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// setReplay takes a seed, or the file of a schedule.
func setReplay(own *setting, value string) error {
	p := own.plan()
	if !strings.HasSuffix(value, explore.FileEnding) && !strings.ContainsAny(value, `/\`) {
		p.Replay = value
		_, err := explore.ParseSeeds(value)
		return err
	}
	f, err := explore.ReadFile(value)
	if err != nil {
		var in *explore.FileError
		if errors.As(err, &in) {
			return err
		}
		return fmt.Errorf("-replay=%s: %w", value, errors.Unwrap(err))
	}
	p.Replay = f.Seed().String()
	p.File, err = filepath.Abs(value)
	return err
}

// setExploreSchedules says where schedules are kept: beside each package, or in a folder.
func setExploreSchedules(own *setting, value string) (err error) {
	own.needsExplore = "-explore_schedules says where schedules are kept"
	if own.plan().Keep = value; value != explore.KeptFolder {
		own.explore.Keep, err = filepath.Abs(value)
	}
	return err
}

// A keptTests is a run of the schedules that are kept beside the packages of a command line.
type keptTests struct {
	packages []string // that have some
	files    int
	why      string // they can't be run, "" if they can
	argv     []string
}

// keptTests are the schedules that are kept for the tests of a session, nil if there are none. It
// refuses files that are no schedules.
func (s *session) keptTests() (*keptTests, error) {
	if s.build.Command != "test" || s.own.explore != nil || !anyKept(s.build.Folders()) {
		return nil, nil
	}
	list, err := s.build.Named()
	if err != nil {
		return nil, nil // the go command will say it
	}
	k := new(keptTests)
	here, _ := os.Getwd()
	for _, p := range list {
		files, err := explore.Files(p.Dir)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			continue
		}
		k.packages = append(k.packages, p.ImportPath)
		k.files += len(files)
		for _, name := range files {
			if rel, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(rel) {
				name = rel
			}
			if _, err := explore.ReadFile(name); err != nil {
				return nil, err
			}
		}
	}
	if k.files == 0 {
		return nil, nil
	}
	return k, k.plan(s)
}

// anyKept reports whether a schedule is kept anywhere in some folders.
func anyKept(dirs []string) bool {
	found := false
	for _, dir := range dirs {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case found:
				return fs.SkipAll
			case err != nil && d == nil, err == nil && d.IsDir() && path != dir &&
				(d.Name()[0] == '.' || d.Name() == "node_modules"):
				return fs.SkipDir
			case err != nil: // the go command can't read it either
				return nil
			}
			found = strings.HasSuffix(path, explore.FileEnding)
			return nil
		})
	}
	return found
}

// plan says how the go command runs the schedules, or why it can't.
func (k *keptTests) plan(s *session) error {
	if err := explorable(target.Current(s.release)); err != nil {
		k.why = "schedules can't be controlled here: " + err.Error()
		return nil
	}
	for _, u := range unexplored {
		if u.flag != "count" && u.flag != "shuffle" && s.has(u.flag) {
			k.why = fmt.Sprintf("-%s does not go with exploration: %s", u.flag, u.why)
			return nil
		}
	}
	if s.own.trace != "" || s.own.predict {
		k.why = "explored runs are not recorded"
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	quoted, err := quote(self)
	if err != nil {
		return err
	}
	before := s.argv[:len(s.argv)-len(s.build.Args)]
	args := s.build.ArgsFor(k.packages)
	for _, flag := range []string{"count", "shuffle", "timeout"} {
		_, args, _ = takeValue(flag, args)
	}
	k.argv = slices.Concat(before, []string{"-exec=" + quoted + " " + explore.ExecWord,
		"-count=1", "-timeout=0"}, args)
	return nil
}

// run runs the schedules after the tests. It reports whether all passed, and says in a line what
// was run.
func (k *keptTests) run(s *session) (ok bool, err error) {
	if k == nil {
		return true, nil
	}
	if k.why != "" {
		fmt.Fprintf(os.Stderr, "commute: %s in %s left out: %s\n", schedules(k.files),
			explore.KeptFolder, k.why)
		return true, nil
	}
	told, err := os.MkdirTemp("", "commute-kept-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(told)
	plan := explore.Plan{Kept: true, Told: told, Timeout: 10 * time.Minute,
		Fast: s.has("failfast")}
	if value, _, given := takeValue("timeout", s.build.Args); given {
		if plan.Timeout, err = time.ParseDuration(value); err != nil {
			return false, fmt.Errorf("-timeout %s: %w", value, err)
		}
	}
	cmd := exec.Command(k.argv[0], k.argv[1:]...)
	cmd.Env = append(os.Environ(), toolexec.ExploreVariable+"=1",
		countsVariable+"=", explore.PlanVariable+"="+plan.String())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return false, err
	}
	if err != nil || s.has("v") || s.has("json") {
		os.Stdout.Write(out.Bytes())
	}
	notes, n, failed := explore.Told(told)
	for _, note := range notes {
		fmt.Fprintln(os.Stderr, "commute:", note)
	}
	verdict := "none fails"
	if failed > 0 {
		verdict = fmt.Sprintf("%d failed", failed)
	}
	if n > 0 {
		fmt.Fprintf(os.Stderr, "commute: %s in %s: %s\n", schedules(n), explore.KeptFolder, verdict)
	}
	return err == nil, nil
}

func schedules(n int) string {
	if n == 1 {
		return "1 schedule"
	}
	return fmt.Sprintf("%d schedules", n)
}
