// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offheap

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// A Ref is a pointer to a record off the heap. Go's garbage collector doesn't take it for a
// pointer, so storing one needs no write barrier. Some of the places in Go's runtime that announce
// events must not have any.
type Ref[T any] struct{ addr uintptr }

// To is a reference to p.
func To[T any](p *T) Ref[T] { return Ref[T]{uintptr(unsafe.Pointer(p))} }

// P is the pointer.
func (r Ref[T]) P() *T { return *(**T)(unsafe.Pointer(&r.addr)) }

// Nil reports whether the pointer is nil.
func (r Ref[T]) Nil() bool { return r.addr == 0 }

// An AtomicRef is a Ref that is loaded and stored atomically.
type AtomicRef[T any] struct{ addr atomic.Uintptr }

// Load is the pointer.
func (r *AtomicRef[T]) Load() *T { return Ref[T]{r.addr.Load()}.P() }

// Store sets the pointer. A thread that loads it sees what was stored to the record before.
func (r *AtomicRef[T]) Store(p *T) { host.PublishWord(&r.addr, uintptr(unsafe.Pointer(p))) }
