// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package advice writes the parts of a report that help its reader: the lines of the source, how to
// mend the fault, and how to suppress the report.
//
// Input: methods, places and effects of a finding. Output: text. Reports of a running program and
// those of recorded traces are made of it, so both say the same. The source is read where the
// report is made.
package advice
