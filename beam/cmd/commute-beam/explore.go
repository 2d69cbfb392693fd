// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/commutego/commute/beam/internal/pipeline"
	"github.com/commutego/commute/internal/explore"
)

const usageOfExplore = `
With -explore, tests are explored instead, as by "commute test -explore": PATTERN names packages.

	-explore N
		so many runs of each test in each shard, or a time for each, as 30s.
	-shards N  (default 1)
		make N parts of the runs, as -explore_shard does, which are done by any workers.
	-C FOLDER
		the folder of the module.
	-commute FILE  (default commute)
		the command, as a worker finds it.
	-test_flags FLAGS
		others of commute test, with spaces between, as '-run=TestX -explore_all -datarace'.
	-explore_cover FILE
		write to the file what was covered in all shards, and add it to what is there.
`

// mostShards is how many parts there may be.
const mostShards = 1 << 16

// exploreFlags has the values of the flags for exploration.
type exploreFlags struct {
	explore, dir, commute, flags, cover *string
	shards                              *int
}

// exploreNames are the flags that go with -explore only.
var exploreNames = []string{"explore", "shards", "C", "commute", "test_flags", "explore_cover"}

// exploreOf declares the flags.
func exploreOf(fs *flag.FlagSet) *exploreFlags {
	return &exploreFlags{
		explore: fs.String("explore", "", ""), shards: fs.Int("shards", 1, ""),
		dir: fs.String("C", "", ""), commute: fs.String("commute", "commute", ""),
		flags: fs.String("test_flags", "", ""), cover: fs.String("explore_cover", "", ""),
	}
}

// check says what is wrong with the flags that are set. Of is the flags of analysis.
func (c *exploreFlags) check(fs *flag.FlagSet, of *flag.FlagSet) (err error) {
	fs.Visit(func(f *flag.Flag) {
		switch explores := *c.explore != ""; {
		case !explores && slices.Contains(exploreNames, f.Name):
			err = cmp.Or(err, fmt.Errorf("-%s needs -explore", f.Name))
		case explores && f.Name != "output" && f.Name != "verbose" && of.Lookup(f.Name) != nil:
			err = cmp.Or(err, fmt.Errorf("-%s is for traces, and -explore for tests: drop one of "+
				"them", f.Name))
		}
	})
	if err != nil || *c.explore == "" {
		return err
	}
	if err := new(explore.Plan).ParseLimit(*c.explore); err != nil {
		return err
	}
	if *c.shards < 1 || *c.shards > mostShards {
		return fmt.Errorf("-shards=%d (want a number from 1 to 2^16)", *c.shards)
	}
	if *c.cover != "" && *jobopts.Async {
		return errors.New("-explore_cover and -async: nobody waits for what is covered")
	}
	return nil
}

// options are what the flags ask for.
func (c *exploreFlags) options() pipeline.ExploreOptions {
	return pipeline.ExploreOptions{Commute: *c.commute, Dir: *c.dir, Explore: *c.explore,
		Shards: *c.shards, Flags: strings.Fields(*c.flags)}
}

// packages lists the packages with tests that match patterns, and those that can't be loaded.
func (c *exploreFlags) packages(ctx context.Context, patterns []string) ([]string, error) {
	const format = "{{if or .TestGoFiles .XTestGoFiles .Error}}{{.ImportPath}}{{end}}"
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-f", format, "--"},
		patterns...)...)
	cmd.Dir = *c.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	list := strings.Fields(string(out))
	if len(list) == 0 {
		return nil, fmt.Errorf("no package with tests matches %s", strings.Join(patterns, " "))
	}
	return list, nil
}

// run explores the packages that match patterns.
func (c *exploreFlags) run(ctx context.Context, patterns []string, output string) (int, error) {
	list, err := c.packages(ctx, patterns)
	if err != nil {
		return exitWrong, err
	}
	file, remove, err := outputFile(output)
	if err != nil {
		return exitWrong, err
	}
	defer remove()
	p, s := beam.NewPipelineWithRoot()
	if err := build(func() { pipeline.BuildExplore(s, list, file, c.options()) }); err != nil {
		return exitWrong, err
	}
	if waits, err := execute(ctx, p, file); !waits || err != nil {
		return codeOf(err), err
	}
	var cover *explore.Cover
	summary, err := pipeline.ReadExplored(ctx, file, func(l *pipeline.ExploredLine,
		data []byte) (err error) {
		if l.Error != "" {
			fmt.Fprintln(os.Stderr, l.Error)
		}
		if l.Cover != "" {
			if cover, err = explore.ParseCover(file, []byte(l.Cover)); err != nil {
				return err
			}
		}
		if output == "" {
			_, err = os.Stdout.Write(data)
		}
		return err
	})
	if err == nil && *c.cover != "" {
		err = addCover(*c.cover, cover)
	}
	if err != nil {
		return exitWrong, fmt.Errorf("%s: %w", cmp.Or(output, "what the pipeline wrote"), err)
	}
	fmt.Fprint(os.Stderr, summary)
	return exitCode(summary.Failed > 0, summary.Failures > 0), nil
}

// addCover adds what was covered to a file.
func addCover(name string, covered *explore.Cover) error {
	all, err := explore.ReadCover(name)
	if err != nil {
		return err
	}
	if covered != nil {
		all.Merge(covered)
	}
	return all.Write(name)
}
