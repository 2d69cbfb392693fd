// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package quiet has nothing to confirm.
package quiet

import "testing"

func TestQuiet(t *testing.T) { t.Log("quiet") }
