// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Program pinned prints how many garbage collections end while its main goroutine has disabled its
// preemption, as the engine does, and then how many do in the same time without that.
package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	_ "unsafe"
)

//go:linkname pin runtime.commute_host_Pin
func pin()

//go:linkname unpin runtime.commute_host_Unpin
func unpin()

var collections atomic.Int32

// during counts the collections that end while the caller runs for some time.
func during() int32 {
	before := collections.Load()
	for begin := time.Now(); time.Since(begin) < 100*time.Millisecond; {
	}
	return collections.Load() - before
}

func main() {
	go func() {
		for {
			runtime.GC()
			collections.Add(1)
		}
	}()
	for collections.Load() == 0 {
		runtime.Gosched()
	}
	pin()
	pinned := during()
	unpin()
	free := int32(0)
	for free < 2 { // one may have stopped all before: two have not
		free = during()
	}
	fmt.Println(pinned, free)
}
