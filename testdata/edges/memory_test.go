// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build memory

package edges

import "os"

// An object is a plain variable, so that go test -race -tags memory must give every test the
// verdict in its name, but for those that knownToDiffer names.
type object struct{ v int }

//go:noinline
func (o *object) read() int { return o.v }

//go:noinline
func (o *object) write(v int) { o.v = v }

// Run the binary with GORACE="suppress_equal_stacks=0 suppress_equal_addresses=0 history_size=7":
// the twins share their stacks.
//
// knownToDiffer says why the data race detector's verdict on a test may be another than ours.
// COMMUTE_EDGES_DIFFER=1 prints the names, after "differs: ".
var knownToDiffer = map[string]string{
	"TestNoRaceCondSignal": "sync.Cond announces no edge to the data race detector, though its " +
		"documentation promises one",
	"TestNoRaceCondBroadcast": "the same",
	"TestRaceMapOtherKey": "the data race detector sees the synchronization inside a sync.Map, " +
		"which two keys share",
	"TestRaceFinalizer": "the data race detector lets the finalizer goroutine acquire every " +
		"goroutine's clock and is silent on what follows",
	"TestRaceCleanup":              "the same",
	"TestNoRaceDescriptorNumber":   "the data race detector knows nothing of descriptors' numbers",
	"TestNoRaceDescriptorCopied":   "the same",
	"TestNoRaceDescriptorReceived": "the same",
	"TestRaceGoroutineEndReuse": "the data race detector is silent where it has lost the first " +
		"access's stack, now and then",
}

func init() {
	if os.Getenv("COMMUTE_EDGES_DIFFER") == "" {
		return
	}
	for name, why := range knownToDiffer {
		println("differs:", name, why)
	}
}
