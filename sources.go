// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package commute holds the sources of the engine that commute puts into the
// programs that it watches. They are embedded, so that an installed commute
// needs no source tree and no module cache.
package commute

import (
	"embed"

	"github.com/commutego/commute/internal/toolchain/bundle"
)

//go:embed internal/event/*.go internal/host/*.go internal/offheap/*.go check/vclock/*.go check/predict/*.go check/commrace/*.go check/atomicity/*.go check/datarace/*.go trace/recorder/*.go runtime/*.go
var sources embed.FS

// Engine lists the engine's packages, in dependency order.
func Engine() bundle.Engine {
	return bundle.Engine{
		FS:     sources,
		Module: "github.com/commutego/commute",
		Host:   "internal/host",
		Dirs:   []string{"internal/event", "internal/offheap", "check/vclock", "check/predict", "check/commrace", "check/atomicity", "check/datarace", "trace/recorder", "runtime"},
	}
}
