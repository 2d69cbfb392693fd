// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package attribution holds only tests: races of which it matters to whom they are charged. A
// comment on each test says which must fail and which must pass; where the name of a test begins
// with TestRace or TestNoRace, it says so, too.
package attribution
