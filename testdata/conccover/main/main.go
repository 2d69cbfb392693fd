// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command main calls two methods at once, and exits.
package main

import (
	"os"
	"sync"
)

var names sync.Map

func main() {
	done := make(chan bool)
	go func() {
		names.LoadOrStore("a", 1)
		close(done)
	}()
	names.LoadOrStore("a", 1)
	<-done
	os.Exit(3)
}
