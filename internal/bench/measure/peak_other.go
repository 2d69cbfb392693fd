// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !unix

package measure

import "os"

// Peak is not known here.
func Peak(*os.ProcessState) int64 { return 0 }
