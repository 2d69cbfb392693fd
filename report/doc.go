// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package report has the findings of commute as data: findings in a recorded trace, with the check,
// both sides, their stacks, the object and the line of the specification. It also has the findings
// of a watched run, and of "go vet".
//
// A [Run] is what "commute test -report=json=FILE" writes, and of other commands. "commute analyze
// -json" prints a [Trace] for each file, as one line of JSON; Check of package trace returns one,
// too. [Finding.Text] is the report in words that "commute analyze" prints.
//
// # The schema
//
// Each Trace has the number of its schema, [Version]. Within a version, fields may be added, and so
// may values of a field that has one of several words (kinds, effects, operations). Skip fields and
// values that you don't know. No field is renamed, removed, or given another type or meaning
// without a new version. Fields that do not apply to a finding are left out of the JSON.
//
// Positions in a source are "file:line" or "file:line:col", and numbers count from 1. Addresses,
// goroutines and keys are those of the recorded run; they differ in the next run of the same test.
package report
