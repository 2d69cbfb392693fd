// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"path/filepath"

	"github.com/commutego/commute/internal/toolchain/elide"
	"github.com/commutego/commute/internal/toolchain/target"
)

// elides reports whether calls that announce accesses again are left out of the package's object.
// Goroutines may take turns at each of them where schedules are explored, so all of them stay.
func (u *unit) elides() bool {
	return u.Watch && u.Once && len(u.Atomic) == 0 && !explores() && !perturbs() &&
		elide.Knows(target.Current(u.GoVersion).GOARCH)
}

// elide leaves them out. Where that can't be done, the object is as good as it was: nothing is said
// of it then.
func (u *unit) elide(tool string) {
	_, _ = elide.File(goroot(tool), u.Output)
}

// goroot is the root of the release that a tool is of: it is in pkg/tool/linux_amd64 or the like.
func goroot(tool string) string { return filepath.Join(filepath.Dir(tool), "..", "..", "..") }

// last runs the compiler. That is in place of this process, where nothing is left to do after it.
func (d *Driver) last(tool string, args []string, u *unit) (int, error) {
	if !u.elides() {
		return Replace(append([]string{tool}, args...))
	}
	if err := runTool(tool, args, d.Stdout, d.Stderr); err != nil {
		return exitCode(err)
	}
	return 0, nil
}
