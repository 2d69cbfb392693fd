// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package counts

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// TestCountsTold has the counts written to a file, once.
func TestCountsTold(t *testing.T) {
	was, opened, output := counted.n, host.Opened, host.Output
	defer func() {
		counted.n, host.Opened, host.Output, host.Args = was, opened, output, nil
		counted.written.Store(0)
	}()
	var told string
	host.Opened = func(uintptr, bool) (uintptr, bool) { return 77, true }
	host.Output = func(fd uintptr, p []byte) bool { told += string(p); return fd == 77 }
	host.Args = []string{"/tmp/a b.test"}
	counted.n = copy(counted.name[:], "/counts/1")
	for range 2 {
		Write(false, func(b *text.Buffer) { b.Text("deadlock a.go:1 and b.go:2, 1 time\n") })
	}
	const begin, end = "program /tmp/a b.test\ncalls ", "\nuntraced 1\ndeadlock a.go:1 and b.go:2, 1 time\nend\n"
	if !strings.HasPrefix(told, begin) || !strings.HasSuffix(told, end) ||
		strings.Count(told, end) != 1 {
		t.Errorf("told is %q", told)
	}
}
