// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command commute-beam analyzes many recorded traces by Apache Beam, here or on a cluster. With
// -explore it explores the tests of packages so.
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
	"log/slog"
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
	c, x := commandOf(flag.CommandLine), exploreOf(flag.CommandLine)
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
	if !*c.verbose {
		slog.SetDefault(slog.New(quiet{slog.Default().Handler()}))
	}
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(exitWrong)
	}
	o, err := c.options()
	if err == nil {
		of := flag.NewFlagSet("", flag.ContinueOnError)
		commandOf(of)
		err = x.check(flag.CommandLine, of)
	}
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
	var code int
	if ctx := context.Background(); *x.explore != "" {
		code, err = x.run(ctx, flag.Args(), *c.output)
	} else {
		code, err = run(ctx, flag.Args(), *c.output, o)
	}
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
	file, remove, err := outputFile(output)
	if err != nil {
		return exitWrong, err
	}
	defer remove()
	p, s := beam.NewPipelineWithRoot()
	if err := build(func() { pipeline.Build(s, patterns, file, o) }); err != nil {
		return exitWrong, err
	}
	if waits, err := execute(ctx, p, file); !waits || err != nil {
		return codeOf(err), err
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
	return exitCode(summary.Failed > 0, summary.Findings > 0), nil
}

// exitCode is the exit code of a call after which something is wrong, or something was found.
func exitCode(wrong, found bool) int {
	switch {
	case wrong:
		return exitWrong
	case found:
		return exitFound
	}
	return 0
}

// codeOf is the exit code of a call that ends early.
func codeOf(err error) int { return exitCode(err != nil, false) }

// outputFile is where the pipeline writes: a file that is to be removed if the output has no name.
func outputFile(output string) (file string, remove func(), err error) {
	if output != "" {
		return output, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "commute-beam")
	return filepath.Join(dir, "findings.jsonl"), func() { _ = os.RemoveAll(dir) }, err
}

// execute runs a pipeline. It reports whether the output is there then.
func execute(ctx context.Context, p *beam.Pipeline, file string) (waits bool, err error) {
	if err := beamx.Run(ctx, p); err != nil {
		return false, err
	}
	if *jobopts.Async {
		fmt.Fprintf(os.Stderr, "commute-beam: the findings will be in %s\n", file)
		return false, nil
	}
	return true, nil
}

// build calls a function that builds a pipeline, and panics at a file system that there isn't.
func build(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	f()
	return nil
}
