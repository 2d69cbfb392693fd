// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package finding

import "github.com/commutego/commute/internal/engine/report"

// Reports returns the number of findings of calls, that of reports of data races, and the last
// finding. It is for tests.
func Reports() (uint64, uint64, *report.Finding) {
	found.lock.Lock()
	defer found.lock.Unlock()
	return found.number, dataRaces, found.last
}

// Races returns the number of races of all findings of calls. It is for tests.
func Races() (n uint64) {
	found.lock.Lock()
	defer found.lock.Unlock()
	for f := found.first; f != nil; f = f.Next {
		n += f.Count
	}
	return n
}
