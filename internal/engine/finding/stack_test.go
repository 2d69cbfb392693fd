// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"testing"
	"unsafe"
)

// TestPredictionsNeedLittleStack has a new goroutine ask for predictions, of which there are none,
// as each goroutine does that ends. If its stack had to grow it would have moved.
func TestPredictionsNeedLittleStack(t *testing.T) {
	moved := make(chan bool)
	go func() {
		var x byte
		before := uintptr(unsafe.Pointer(&x))
		Predictions()
		moved <- uintptr(unsafe.Pointer(&x)) != before
	}()
	if <-moved {
		t.Error("the goroutine's stack had to grow")
	}
}
