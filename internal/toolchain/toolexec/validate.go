// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/goversion"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/target"
)

// Validate makes every change of the standard library once, for nothing but the
// errors, so that what cannot work fails before a build has started. It reads a
// dozen files and takes a few milliseconds, so its success is not recorded
// anywhere: commute needs no directory of its own.
func Validate(env *goenv.Env, config Config) error {
	if err := goversion.Check(env.GOVERSION); err != nil {
		return err
	}
	changes := []struct {
		path   string
		change func(*patch.Package) error
	}{
		{"runtime", func(p *patch.Package) error { return runtimeChanges(p, config.Templates, target.Current()) }},
		{"internal/race", (*patch.Package).InternalRace},
		{"sync/atomic", atomicChanges},
		{"internal/sync", internalSyncChanges},
		{"sync", func(p *patch.Package) error { return syncChanges(p, config.Specs("sync")) }},
		{"testing", (*patch.Package).Testing},
		{"reflect", (*patch.Package).Reflect},
	}
	errs := make([]error, len(changes))
	var wg sync.WaitGroup
	for i, c := range changes {
		wg.Go(func() { errs[i] = try(env, c.path, c.change) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err // one sentence is enough
		}
	}
	return nil
}

// try makes a change of the package at path and forgets it.
func try(env *goenv.Env, path string, change func(*patch.Package) error) error {
	dir := filepath.Join(env.GOROOT, "src", filepath.FromSlash(path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the sources of the standard library are not in GOROOT: %w", err)
	}
	var files []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return change(patch.New(path, env.GOVERSION, files))
}
