// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"path/filepath"
	"testing"
	"time"
)

// TestStore judges commute by the store that commute bench papers measures: its two faults must be
// found, and nothing else.
func TestStore(t *testing.T) {
	tool := commute(t)
	dir, err := filepath.Abs("../bench/tracebench/mvstore")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mvstore.test"+exe())
	command(t, dir, tool, "test", "-c", "-o", path, ".")
	b := &Binary{Path: path, Dir: dir, Parallel: 2, Timeout: 5 * time.Minute, Runs: 5 * rest(t)}
	names, err := b.List()
	if err != nil {
		t.Fatal(err)
	}
	const level = "COMMUTE=level=races" // one of its faults is a reader beside a writer
	for _, procs := range []string{"1", "2", "8"} {
		b.Env = []string{level, "GOMAXPROCS=" + procs}
		t.Run("Together"+procs, func(t *testing.T) { judge(t, b, names, 13) })
	}
	b.Alone, b.Env, b.Runs = true, []string{level}, rest(t)
	t.Run("Alone", func(t *testing.T) { judge(t, b, names, 13) })
}
