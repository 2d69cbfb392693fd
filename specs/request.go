// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specs

// OnRequest reports whether the specifications of a package apply only where they are asked for by
// its name, and then to calls in the user's own packages: an atomic variable is there to be raced
// on, so all its uses would be reported, and everything else is made of them.
func OnRequest(importPath string) bool { return importPath == "sync/atomic" }
