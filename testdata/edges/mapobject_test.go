// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !memory

package edges

import "sync"

// An object is what the two calls are made on: read and write do not commute, nor do two different writes.
type object struct{ m sync.Map }

func (o *object) read()       { o.m.Load("key") }
func (o *object) write(v int) { o.m.Store("key", v) }
