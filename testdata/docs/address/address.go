// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package address is an example of docs/explore.md.
package address

import (
	"fmt"
	"sync/atomic"
)

// A Config says where a server is.
type Config struct {
	Host string
	Port int
}

// Current is the configuration in use, which may be replaced at any time.
var Current atomic.Pointer[Config]

// Address is where the server is.
func Address() string {
	return fmt.Sprintf("%s:%d", Current.Load().Host, Current.Load().Port)
}

// Snapshot is where the server is, by one look.
func Snapshot() string {
	c := Current.Load()
	return fmt.Sprintf("%s:%d", c.Host, c.Port)
}
