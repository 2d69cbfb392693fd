// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package counts

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// artifacts is the file with the folders of tests, which is made for the first one.
var artifacts struct {
	lock offheap.Lock
	fd   uintptr
	made bool
}

// Artifacts notes the folder of artifacts of a test with which something was found: the command
// puts the reports there. A line of the file has the test's name, a tab, and the folder.
func Artifacts(test, dir string) {
	if counted.n == 0 {
		return
	}
	b := text.Buffers.Get()
	artifacts.lock.Lock()
	if !artifacts.made {
		b.Reset()
		b.Texts(text.View(counted.name[:counted.n]), ".artifacts")
		artifacts.fd, artifacts.made = host.Create(b.String())
	}
	if artifacts.made {
		b.Reset()
		b.Texts(test, "\t", dir, "\n")
		host.Write(artifacts.fd, b.Bytes())
	}
	artifacts.lock.Unlock()
	text.Buffers.Put(b)
}
