// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package counts

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

// TestCountsTold has the counts written to a file, once.
func TestCountsTold(t *testing.T) {
	was, opened, output := counted.n, host.Opened, host.Output
	defer func() {
		counted.n, host.Opened, host.Output, host.Args = was, opened, output, nil
		counted.written.Store(0)
	}()
	var text string
	host.Opened = func(uintptr, bool) (uintptr, bool) { return 77, true }
	host.Output = func(fd uintptr, p []byte) bool { text += string(p); return fd == 77 }
	host.Args = []string{"/tmp/a b.test"}
	counted.n = copy(counted.name[:], "/counts/1")
	Write()
	Write()
	const begin, end = "program /tmp/a b.test\ncalls ", "end\n"
	if !strings.HasPrefix(text, begin) || !strings.HasSuffix(text, end) ||
		strings.Count(text, end) != 1 {
		t.Errorf("told is %q", text)
	}
}
