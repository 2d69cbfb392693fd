// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// tornSource is a package of n types, each with a method that sets two fields in two sections.
// Names of more than 32 bytes are allocated when they are put together.
func tornSource(n int) string {
	b := new(strings.Builder)
	b.WriteString("package p\n\nimport \"sync\"\n")
	for i := range n {
		b.WriteString(strings.ReplaceAll(`
type TypeWithALongName# struct {
	mu   sync.Mutex
	a, b int
}

func (t *TypeWithALongName#) Set(a, b int) {
	t.mu.Lock()
	t.a = a
	t.mu.Unlock()
	t.mu.Lock()
	t.b = b
	t.mu.Unlock()
}

func (t *TypeWithALongName#) Get() (a, b int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.a, t.b
}
`, "#", strconv.Itoa(i)))
	}
	return b.String()
}

// TestTornGrowth has four times as many types: what is allocated for the pairs of their fields must
// not grow with the square of their number, as large packages have thousands of them.
func TestTornGrowth(t *testing.T) {
	allocated := func(n int) uint64 {
		p, err := build(source(t, tornSource(n)))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		linked := p.linked()
		runtime.ReadMemStats(&after)
		if len(linked) != 2*n {
			t.Fatalf("%d functions have linked pairs, want %d", len(linked), 2*n)
		}
		return after.Mallocs - before.Mallocs
	}
	if few, many := allocated(50), allocated(200); many > 6*few {
		t.Errorf("%d objects are allocated for 50 types, and %d for 200", few, many)
	}
}
