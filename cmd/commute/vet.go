// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/exportdata"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/internal/toolchain/version"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// isVettool reports whether args are those that go vet gives to its tool: a question about it, or a
// configuration file after any flags.
func isVettool(args []string) bool {
	return args[0] == "-V=full" || args[0] == "-flags" ||
		strings.HasSuffix(args[len(args)-1], ".cfg")
}

// vet runs the analyzers as go vet's tool. It reads os.Args and does not return.
func vet() {
	if os.Args[1] == "-V=full" {
		if err := vetVersion(); err != nil {
			os.Exit(fail(err))
		}
		os.Exit(0)
	}
	analyzers := []*analysis.Analyzer{directive.Analyzer, annotation.Analyzer, transaction.Analyzer}
	last := os.Args[len(os.Args)-1]
	// The go command gives -json unless it was given -c, and prints what it reads.
	asJSON := slices.Contains(os.Args[1:], "-json") && strings.HasSuffix(last, ".cfg")
	flags := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool {
		return arg == "-json" || arg == last
	})
	switch {
	case asJSON && len(flags) == 0:
		if code, ok := quickVet(last, analyzers, mentioned); ok {
			os.Exit(code)
		}
	case asJSON:
		if on, ok := onlyLints(flags); ok {
			if code, ok := quickVet(last, on, lintsConcern(on)); ok {
				os.Exit(code)
			}
		}
	}
	// Those that are off by default are run if they are asked for.
	if os.Args[1] == "-flags" {
		for _, l := range lints {
			analyzers = append(analyzers, l.Analyzer)
		}
	}
	analyzers = append(analyzers, askedFor(os.Args[1:])...)
	ownFlags()
	unitchecker.Main(analyzers...)
}

// vetVersion prints the key of go vet's cache of findings. The go command knows of Go files only,
// so the .ecl files of the modules are hashed here.
func vetVersion() error {
	key, err := version.Key()
	if err != nil {
		return err
	}
	env, err := goenv.Read("go", nil)
	if err != nil {
		return err
	}
	// go vet has the tool look at the standard library's source, too
	if exportdata.Newer(env.GOVERSION) {
		return exportdata.Unreadable(env.GOVERSION,
			errors.New("go vet needs one that was built with the same release, or a later one"))
	}
	specs, err := specset.Key(env.GOWORK, env.GOMOD)
	if err != nil {
		return err
	}
	fmt.Printf("%s version devel commute buildID=%s\n", filepath.Base(os.Args[0]), key+specs)
	return nil
}
