// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package report has the findings of commute as data: what was found in a recorded trace, by which
// check, with both sides, their stacks, the object and the line of the specification.
// So it has those of a run that was watched, and of "go vet".
//
// A [Run] is what "commute test -report=json=FILE" writes, and the same of other commands. A
// [Trace] is what "commute analyze -json" prints for a file, in one line of JSON, and what
// Reader.Check of package trace returns. [Finding.Text] is the report in words that "commute
// analyze" prints.
//
// # The schema
//
// Each Trace has the number of its schema, [Version]. Within a version, fields may be added, and so
// may words where a field has one of several (kinds, effects, operations): skip what you don't
// know. No field is renamed, taken away, or given another type or meaning without another number.
// Fields that do not apply to a finding are left out of the JSON.
//
// Positions in a source are "file:line" or "file:line:col", and numbers count from 1. Addresses,
// goroutines and keys are those of the run that was recorded; the same test has others next time.
package report
