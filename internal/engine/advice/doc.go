// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package advice has what a report says beside what was found: the lines of the source, how to mend
// it, and how to keep it silent.
//
// Input: methods, places and effects of a finding. Output: text. Reports of a running program and
// those of recorded traces are made of it, so both say the same. The source is read where the
// report is made.
package advice
