// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import "os"

// Run the race detector with GORACE="suppress_equal_stacks=0 suppress_equal_addresses=0 history_size=7": tests share
// their stacks.
//
// knownToDiffer says why the race detector's verdict on a test, whose innermost subtests aren't named, is another
// than ours. COMMUTE_DATARACES_DIFFER=1 prints the full names, each after "differs: ".
var knownToDiffer = map[string]string{
	"TestRacePlace/GlobalArray":         "where it has reported a race, it ignores reads of more than a word from then on",
	"TestRacePlace/GlobalStruct":        "the same",
	"TestRaceCrowdedWord/FirstByte":     "of a word, it remembers four accesses, chosen at random",
	"TestRaceCrowdedWord/LastByte":      "the same",
	"TestNoRaceLock/CondSignalAlone":    "sync.Cond announces no edge to it, though its documentation promises one",
	"TestNoRaceLock/CondBroadcastAlone": "the same",
	"TestRaceGoMeanwhile":               "it has 255 slots for goroutines, and forgets when they are used anew",
	"TestRaceCollected/Finalizer":       "the goroutine of finalizers learns all that any goroutine has done",
	"TestRaceCollected/Cleanup":         "the same",
}

func init() {
	if os.Getenv("COMMUTE_DATARACES_DIFFER") == "" {
		return
	}
	for name := range uninstrumented {
		knownToDiffer["TestRaceUninstrumented/"+name] = "neither the compiler nor the runtime announces the access to it"
	}
	for name := range mixing("Miss", plainRead) {
		knownToDiffer["TestNoRaceMixedMiss/"+name] = "it takes a compare-and-swap that fails for a write"
	}
	for name, why := range knownToDiffer {
		for _, end := range []string{"", "/AB", "/BA", "/LateLoad", "/EarlyUnload"} {
			println("differs:", name+end, why)
		}
	}
}
