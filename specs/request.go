// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specs

// OnRequest reports whether the specifications of a package apply only if the user names the
// package, and then only to calls in the user's own packages. Atomic variables exist to be raced
// on, so all their uses would be reported; and other concurrent types consist of them.
func OnRequest(importPath string) bool { return importPath == "sync/atomic" }
