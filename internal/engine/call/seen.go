// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// seenBy has what the processors remember of the observations that their goroutines make.
var seenBy [host.Shards]offheap.AtomicRef[commrace.Seen]

// seenHere is what the current processor remembers, nil if the caller can't be bound to one.
func seenHere() *commrace.Seen {
	i := host.Shard()
	if !host.Bound || i == host.Shards-1 {
		return nil
	}
	sn := seenBy[i].Load()
	if sn == nil {
		sn = (*commrace.Seen)(host.Alloc(unsafe.Sizeof(commrace.Seen{})))
		seenBy[i].Store(sn)
	}
	return sn
}
