// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package main

import "syscall"

// quit makes a Go program print its goroutines' stacks and end.
const quit = syscall.SIGQUIT
