// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"embed"
	"io/fs"
)

//go:embed template
var templates embed.FS

// Templates returns the files that are compiled into package runtime.
func Templates() fs.FS {
	sub, err := fs.Sub(templates, "template")
	if err != nil {
		panic(err) // the name is valid
	}
	return sub
}
