// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package specs has the specifications of types that are not the user's own:
// what the standard library's concurrent objects promise, in ECL files that are
// embedded here, by import path (sync/map.ecl).
//
// Input: an import path. Output: the parsed specs of its types, ready for
// ecl.Compile. A formula of section 4 (definition 4.2) that is wrong makes a
// detector silent or loud for the wrong reasons, so every spec is tested
// against the real type, over all small states and arguments.
package specs
