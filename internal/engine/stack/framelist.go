// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// A FrameList is the frames of a stack, without those of the methods that the prefix is of; or the
// frames of a site.
type FrameList struct {
	Stack  *Stack // nil: the list is that of the site
	Prefix string
	Site   uint32
}

// Each calls f for the frames, innermost first, until f returns false.
func (l FrameList) Each(f func(fr host.Frame) bool) {
	if l.Stack != nil {
		l.Stack.Walk(l.Prefix, f)
	} else {
		EachFrame(l.Site, f)
	}
}

// Shown is how many frames are written of each end of a long stack.
const Shown = 50

// Write writes the frames as panics do, with the number of those that are left out in the middle;
// elided more are not known. Offsets says that the offsets of return addresses are written, and
// all frames; else the outermost ones of a stack that is not long are left out, which are the
// standard library's, such as those of package testing. Those that are elided of a stack that is
// cut are its outermost ones. It returns the number of frames.
func (l FrameList) Write(b *text.Buffer, elided int, offsets bool) int {
	n, own := 0, 0
	l.Each(func(fr host.Frame) bool {
		n++
		if !source.IsStd(fr) {
			own = n
		}
		return true
	})
	if own > 0 && !offsets && elided == 0 && n <= 2*Shown {
		n = own
	}
	cut := elided > 0 && l.Stack != nil && l.Stack.IsCut()
	if cut {
		elided = 0
	}
	i := 0
	l.Each(func(fr host.Frame) bool {
		if i == min(Shown, n-Shown) && (n > 2*Shown || elided > 0) {
			b.Text("  ...")
			b.Uint(uint64(max(n-2*Shown, 0) + elided))
			b.Text(" frames elided...\n")
		}
		switch {
		case i >= n || i >= Shown && i < n-Shown:
		case offsets:
			FrameLine(b, fr)
		default:
			PrintFrame(b, fr)
		}
		i++
		return true
	})
	if cut {
		b.Text("  ...additional frames elided...\n")
	}
	return n
}
