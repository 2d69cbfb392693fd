// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/specs"
)

// Shipped returns the specifications that come with commute, for Config.Specs.
func Shipped(importPath string) []*ecl.Spec {
	if importPath == "" {
		return specs.All()
	}
	return specs.For(importPath)
}
