// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/target"
)

// standard makes the patches of a package of the standard library, or of one that is much like it.
func (u *unit) standard() (edit.Change, error) {
	p := patch.Of(u.source, u.GoVersion)
	p.Explores, p.Perturbs = explores(), perturbs()
	var err error
	switch {
	case u.Std:
		err = u.patch(p)
	case u.Package == patch.UnixPath && patch.OrdersIO(target.Current(u.GoVersion)):
		err = p.Unix()
	}
	return p.Change, err
}

// patch makes those of one package.
func (u *unit) patch(p *patch.Package) error {
	switch u.Package {
	case "testing":
		return testingChanges(p, watchesMemory())
	case "reflect":
		if u.Watch {
			return p.Reflect()
		}
	case "runtime":
		platform := target.Current(u.GoVersion)
		if err := runtimeChanges(p, u.driver.Templates, platform, watchesMemory()); err != nil {
			return err
		}
		engine := u.driver.Engine
		if p.Explores {
			engine = engine.With(engine.Explore)
		}
		files, profile, err := engine.Bundle(platform)
		u.profile = profile
		for _, f := range files {
			p.Added = append(p.Added, edit.Added{Name: f.Name, Data: f.Data})
		}
		return err
	case "internal/race":
		return p.InternalRace(watchesMemory())
	case "sync/atomic":
		return atomicChanges(p, watchesMemory())
	case "internal/sync":
		return internalSyncChanges(p, watchesMemory())
	case "sync":
		return syncChanges(p, u.driver.Specs(u.Package), watchesMemory())
	case "internal/runtime/maps", "hash/maphash":
		return mapChanges(p)
	default:
		if slices.Contains(ioPackages, u.Package) {
			return ioChanges(p, u.driver.Templates, target.Current(u.GoVersion), watchesMemory())
		}
		if !watchesMemory() && slices.Contains(patch.KeepBooks(u.GoVersion),
			u.Package) {
			return p.Bookkeeping()
		}
	}
	return nil
}

// runtimeChanges makes the changes of package runtime, but for the engine. All errors are reported.
func runtimeChanges(p *patch.Package, templates fs.FS, platform target.Platform,
	memory bool) error {
	err := errors.Join(p.Runtime(templates, platform, memory), p.Scheduler(), p.Coroutines(),
		p.Timers(), p.Channels(), p.Memory(), p.Crashes(), p.Recovers(), p.Exits(), p.EndBySignal(),
		p.Leaks())
	if p.Explores {
		err = errors.Join(err, p.ExploreRuntime())
	}
	if p.Perturbs {
		err = errors.Join(err, p.PerturbRuntime())
	}
	return err
}

// internalSyncChanges makes the changes of package internal/sync.
func internalSyncChanges(p *patch.Package, memory bool) error {
	err := errors.Join(p.Map(memory), p.Mutex(memory), mapChanges(p))
	if p.Explores || p.Perturbs {
		err = errors.Join(err, p.ExplorePoints())
	}
	return err
}

// mapChanges makes the changes of a package that hashes keys as maps do.
func mapChanges(p *patch.Package) error {
	if p.Explores {
		return p.ExploreMaps()
	}
	return nil
}

// syncChanges makes the changes of package sync.
func syncChanges(p *patch.Package, tables []*ecl.Spec, memory bool) error {
	if err := p.RWMutex(memory); err != nil {
		return err
	}
	if memory {
		if err := p.WaitGroup(); err != nil {
			return err
		}
	}
	if p.Explores || p.Perturbs {
		if err := p.ExplorePoints(); err != nil {
			return err
		}
	}
	return errors.Join(p.Cond(), p.Pool(!memory), p.Specs(tables))
}

// testingChanges makes the changes of package testing.
func testingChanges(p *patch.Package, memory bool) error {
	if memory {
		return p.Testing()
	}
	return errors.Join(p.Testing(), p.TestingLock())
}

// ioPackages are the packages in which input and output is announced.
var ioPackages = []string{"syscall", "internal/poll", "net", "os", "os/signal"}

// ioChanges makes their changes, where there are any.
func ioChanges(p *patch.Package, templates fs.FS, platform target.Platform, memory bool) error {
	if !patch.OrdersIO(platform) {
		return nil
	}
	switch p.Path {
	case "syscall":
		return p.Syscall(templates, platform)
	case "internal/poll":
		return p.Poll(platform, !memory)
	case "net":
		return p.Dial()
	case "os":
		return p.Process()
	}
	if memory {
		return nil // to the race detector, a signal orders nothing after who has sent it
	}
	return p.Signals()
}

// below reports whether a package of the standard library is below the hooks: package runtime with
// its imports, and the packages that implement synchronization. The hooks announce events of these
// packages. Code in them that called a hook could call itself.
func below(path string) bool {
	switch path {
	case "runtime", "sync", "sync/atomic", "unsafe", "math/bits",
		"internal/abi", "internal/asan", "internal/bytealg", "internal/byteorder",
		"internal/chacha8rand", "internal/coverage/rtcov", "internal/cpu", "internal/goarch",
		"internal/godebugs", "internal/goexperiment", "internal/goos", "internal/msan",
		"internal/profilerecord", "internal/race", "internal/strconv", "internal/stringslite",
		"internal/sync", "internal/trace/tracev2":
		return true
	}
	return strings.HasPrefix(path, "internal/runtime/") || strings.HasPrefix(path, "runtime/")
}
