// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package commute holds the sources of the engine that commute puts into the
// programs that it watches. They are embedded, so that an installed commute
// needs no source tree and no module cache.
//
// The package is not for import: it is the root's because files can only be embedded from folders
// below. Packages commutetest, trace, report and ecl are what other modules use; docs/api.md has
// the list.
package commute

import (
	"embed"

	"github.com/commutego/commute/internal/toolchain/bundle"
)

//go:embed internal/event/*.go runtime/*.go
//go:embed internal/engine/*/*.go
var sources embed.FS

// Engine lists the engine's packages, in dependency order.
func Engine() bundle.Engine {
	return bundle.Engine{
		FS:     sources,
		Module: "github.com/commutego/commute",
		Host:   "internal/engine/host",
		Dirs: []string{
			"internal/event",
			"internal/engine/compiled",
			"internal/engine/term",
			"internal/engine/offheap",
			"internal/engine/descriptor",
			"internal/engine/vclock",
			"internal/engine/predict",
			"internal/engine/commrace",
			"internal/engine/atomicity",
			"internal/engine/section",
			"internal/engine/deadlock",
			"internal/engine/sideclock",
			"internal/engine/instance",
			"internal/engine/datarace",
			"internal/engine/recorder",
			"internal/engine/text",
			"internal/engine/output",
			"internal/engine/option",
			"internal/engine/source",
			"internal/engine/stack",
			"internal/engine/advice",
			"internal/engine/tests",
			"internal/engine/counts",
			"internal/engine/coverage",
			"internal/engine/report",
			"internal/engine/finding",
			"internal/engine/sync",
			"internal/engine/record",
			"internal/engine/txn",
			"internal/engine/call",
			"internal/engine/access",
			"runtime",
		},
		Explore: "internal/engine/explore",
	}
}
