// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package tally

import "fmt"

func (c *Counter) String() string { return fmt.Sprint(c.Value()) }
