// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
	"github.com/commutego/commute/internal/longtest"
)

// TestClock runs a program that does as the time of day says: each process begins at a full second,
// and so all do the same. For none is a file from the future that was written before it began.
func TestClock(t *testing.T) {
	b := build(t, "explore", "")
	stamp := filepath.Join(t.TempDir(), "stamp")
	b = b.with("EXPLORE_STAMP=" + stamp)
	hash := ""
	for range 4 {
		if err := os.WriteFile(stamp, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		ran, err := b.batch("TestRightClock", time.Minute, []Seed{{Policy: engine.First}})
		if err != nil || ran.failed || len(ran.runs) != 1 {
			t.Fatalf("it fails: %v\n%s", err, ran.output)
		}
		if got := ran.runs[0].hash; hash != "" && got != hash {
			t.Errorf("the hash is %s, want %s", got, hash)
		}
		hash = ran.runs[0].hash
	}
}

// TestStuck has a thread wait in a system call as for a disk. That is work, and others don't come
// between, unless it takes a second: then somebody may have to end it. Nor do others come between
// where the process had no processor for long. On a busy machine something else may hold a thread
// up as well. So of some runs one has to be as it should; none is where that is not so.
func TestStuck(t *testing.T) {
	longtest.Need(t, "a process is stopped for longer than a second")
	b := build(t, outsideModule, "")
	s := Seed{Policy: engine.First}
	for _, name := range []string{"TestStuck", "TestStopped"} {
		t.Run(name, func(t *testing.T) {
			b := b.with("HAD=0")
			var ran *batch
			for range 10 {
				if ran = logged(t, b, name, s); !ran.failed && len(ran.runs) == 1 &&
					(name == "TestStopped" || len(ran.runs[0].log.arrivals) == 0) {
					return
				}
			}
			t.Errorf("others came between in each run:\n%s", ran.output)
		})
	}
	if r := &logged(t, b, "TestStuckForLong", s).runs[0]; len(r.log.arrivals) == 0 {
		t.Error("nobody came between, and it has ended")
	}
}
