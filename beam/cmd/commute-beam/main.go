// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command commute-beam analyzes many recorded traces by Apache Beam, here or on a cluster.
//
// Input: patterns of files, and flags as those of "commute analyze". Output: a line of JSON for
// each finding, however many traces have it. Package pipeline says how; docs/beam.md has more.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/commutego/commute/beam/internal/pipeline"
)

// Exit codes, as those of "commute analyze".
const (
	exitFound = 1
	exitWrong = 2
)

func main() {
	c := commandOf(flag.CommandLine)
	flag.CommandLine.Init("commute-beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	flag.Usage = func() { fmt.Fprint(os.Stderr, help()) }
	switch err := flag.CommandLine.Parse(os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(0)
	case err != nil:
		os.Exit(misused("%v (-help lists the flags)", err))
	}
	if !*c.verbose {
		log.LogLevel = "warn"
	}
	beam.Init() // of a worker, this is all
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(exitWrong)
	}
	o, err := c.options()
	if err != nil {
		os.Exit(misused("%v", err))
	}
	if *c.output == "" && *jobopts.Async {
		os.Exit(misused("-async needs -output: nobody waits for the findings"))
	}
	if *c.output == "" && !local() {
		os.Exit(misused("-runner=%s needs -output: a file that its workers can write, and that "+
			"can be read here", *runners.Runner))
	}
	code, err := run(context.Background(), flag.Args(), *c.output, o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "commute-beam: %v\n", err)
	}
	os.Exit(code)
}

func misused(format string, args ...any) int {
	fmt.Fprintf(os.Stderr, "commute-beam: "+format+"\n", args...)
	return exitWrong
}

// local reports whether workers see the files of this machine: they are part of this process.
func local() bool {
	inside := []string{"", "prism", "PrismRunner", "direct", "DirectRunner"}
	return slices.Contains(inside, *runners.Runner) && *jobopts.Endpoint == "" ||
		strings.EqualFold(*jobopts.EnvironmentType, "loopback")
}

// run analyzes the files that match patterns. The lines go to a file, or to standard output if
// that has no name, and what is to be said of them to standard error.
func run(ctx context.Context, patterns []string, output string, o pipeline.Options) (int, error) {
	file := output
	if output == "" {
		dir, err := os.MkdirTemp("", "commute-beam")
		if err != nil {
			return exitWrong, err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "findings.jsonl")
	}
	p, s := beam.NewPipelineWithRoot()
	if err := build(s, patterns, file, o); err != nil {
		return exitWrong, err
	}
	if err := beamx.Run(ctx, p); err != nil {
		return exitWrong, err
	}
	if *jobopts.Async {
		fmt.Fprintf(os.Stderr, "commute-beam: the findings will be in %s\n", file)
		return 0, nil
	}
	summary, err := pipeline.Read(ctx, file, func(l *pipeline.Line, data []byte) error {
		if l.Error != "" {
			fmt.Fprintln(os.Stderr, l.Error)
		}
		if output != "" {
			return nil
		}
		_, err := os.Stdout.Write(data)
		return err
	})
	if err != nil {
		return exitWrong, fmt.Errorf("%s: %w", cmp.Or(output, "what the pipeline wrote"), err)
	}
	fmt.Fprint(os.Stderr, summary)
	switch {
	case summary.Failed > 0:
		return exitWrong, nil
	case summary.Findings > 0:
		return exitFound, nil
	}
	return 0, nil
}

// build is pipeline.Build, which panics at a file system that there isn't.
func build(s beam.Scope, patterns []string, out string, o pipeline.Options) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	pipeline.Build(s, patterns, out, o)
	return nil
}
