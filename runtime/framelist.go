// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "github.com/commutego/commute/internal/engine/host"

// A frameList is the frames of a stack but those of the methods that the prefix is of, or of a
// site.
type frameList struct {
	s      *stack
	prefix string
	site   uint32
}

func (l frameList) each(f func(fr host.Frame) bool) {
	if l.s != nil {
		l.s.walk(l.prefix, f)
	} else {
		eachFrame(l.site, f)
	}
}

// shown is how many frames are written of each end of a long stack.
const shown = 50

// write writes the frames, and how many are left out between the first and the last of them, as
// panics do. Elided more are not known. Offsets says that the offsets of return addresses are
// written. It returns the number of frames that are known.
func (l frameList) write(b *buffer, elided int, offsets bool) int {
	n := 0
	l.each(func(host.Frame) bool {
		n++
		return true
	})
	i := 0
	l.each(func(fr host.Frame) bool {
		if i == min(shown, n-shown) && (n > 2*shown || elided > 0) {
			b.text("  ...")
			b.uint(uint64(max(n-2*shown, 0) + elided))
			b.text(" frames elided...\n")
		}
		switch {
		case i >= shown && i < n-shown:
		case offsets:
			frameLine(b, fr)
		default:
			printFrame(b, fr)
		}
		i++
		return true
	})
	return n
}
