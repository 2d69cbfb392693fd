// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// Cells is the number of keys that the object has touches of.
func (o *Object) Cells() int { return int(o.used) }
