// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/target"
)

// A Change is the changes of one package of the standard library.
type Change struct {
	Path string
	Make func(*patch.Package) error
}

// Changes lists all changes of the standard library, but for the engine, for one platform. Memory
// says whether accesses to memory are watched.
func (c *Config) Changes(platform target.Platform, memory bool) []Change {
	list := []Change{
		{"runtime", func(p *patch.Package) error {
			return runtimeChanges(p, c.Templates, platform, memory)
		}},
		{"internal/race", func(p *patch.Package) error { return p.InternalRace(memory) }},
		{"sync/atomic", func(p *patch.Package) error { return atomicChanges(p, memory) }},
		{"internal/sync", func(p *patch.Package) error { return internalSyncChanges(p, memory) }},
		{"sync", func(p *patch.Package) error { return syncChanges(p, c.Specs("sync"), memory) }},
		{"testing", func(p *patch.Package) error { return testingChanges(p, memory) }},
		{"reflect", (*patch.Package).Reflect},
		{"internal/runtime/maps", mapChanges},
		{"hash/maphash", mapChanges},
	}
	for _, path := range ioPackages {
		list = append(list, Change{path, func(p *patch.Package) error {
			return ioChanges(p, c.Templates, platform, memory)
		}})
	}
	if !memory {
		for _, path := range patch.KeepBooks(platform.Release) {
			list = append(list, Change{path, (*patch.Package).Bookkeeping})
		}
	}
	return list
}

// Validate holds the release against what commute relies on, and makes every change of the standard
// library once, only for the errors. So a build that can't work fails before it starts. It parses
// some hundred files, in a quarter of a second of CPU. Its success is handed to the tools of this
// build in the environment. It is also kept in the folder keep, unless that is "", for as long as
// commute and these files stay as they are. The notice, if there is one, is a line for the user.
func Validate(env *goenv.Env, config Config, keep string) (notice string, err error) {
	changes := config.Changes(target.Current(env.GOVERSION), watchesMemory())
	known := keptFile(env, changes, keep)
	notice, ok := known.read()
	if !ok {
		if notice, err = validate(env, changes); err != nil {
			return "", err
		}
		known.write(notice)
	}
	return notice, os.Setenv(verifiedVariable, filepath.Clean(env.GOROOT))
}

func validate(env *goenv.Env, changes []Change) (notice string, err error) {
	if notice, err = release.Verify(env.GOROOT, env.GOVERSION); err != nil {
		return "", err
	}
	if explores() {
		if err := release.VerifyExplore(env.GOROOT, env.GOVERSION); err != nil {
			return "", err
		}
	}
	errs := make([]error, len(changes))
	var wg sync.WaitGroup
	for i, c := range changes {
		wg.Go(func() { errs[i] = try(env, c.Path, c.Make) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return "", err // one sentence is enough
		}
	}
	return notice, nil
}

// verifiedVariable is the environment variable that names the GOROOT of the validated release.
const verifiedVariable = "COMMUTE_VERIFIED"

// try makes a change of the package at path and forgets the result.
func try(env *goenv.Env, path string, change func(*patch.Package) error) error {
	files, err := release.Files(env.GOROOT, path)
	if err != nil {
		return err
	}
	p := patch.New(path, env.GOVERSION, files)
	p.Explores, p.Perturbs = explores(), perturbs()
	if err := change(p); err != nil {
		return err
	}
	_, err = p.Changed()
	return err
}
