// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

func (s *soak) endure(seed uint64) error { return nil }
func (s *soak) source(seed uint64) error { return nil }
