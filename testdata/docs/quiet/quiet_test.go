// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package quiet

import "testing"

func TestAdd(t *testing.T) {
	var s Set
	s.Add("word")
}
