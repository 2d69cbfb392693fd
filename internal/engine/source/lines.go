// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// A LineSet is what a line may access in some way. Of the zero LineSet nothing is known.
type LineSet struct {
	n      int
	names  [maxLineNames]offheap.Ref[compiled.AccessName]
	closed bool // it accesses nothing that is not in names
}

// maxLineNames is how many names are kept of a line.
const maxLineNames = 12

// AccessedAt is what code at a frame may access in a way, as its package has registered it. It
// takes time linear in that.
func AccessedAt(fr host.Frame, kind compiled.AccessKind) (s LineSet) {
	if r := registrationOf(PackageOf(fr.Func)); r != nil {
		s.addLine(&r.Lines, text.Base(fr.File), uint32(fr.Line), kind)
	}
	return s
}

// addLine adds what a line accesses.
func (s *LineSet) addLine(t *compiled.LineTable, file string, line uint32, k compiled.AccessKind) {
	open := false
	for i := range t.Accesses {
		a := &t.Accesses[i]
		if a.Line != line || a.Kind&k == 0 || t.Files[a.File] != file {
			continue
		}
		if a.Name == 0 || s.n == maxLineNames {
			open = true
			continue
		}
		s.names[s.n] = offheap.To(&t.Names[a.Name-1])
		s.n++
	}
	s.closed = s.n > 0 && !open
}

// Common is what two lines have both accessed, which conflict; nil if that is not sure. It is if
// one of the two can have accessed nothing else, and the other one can have accessed it; or if they
// can have accessed nothing else together.
func (s *LineSet) Common(other *LineSet) (found *compiled.AccessName) {
	switch {
	case !s.closed && !other.closed:
		return nil
	case !s.closed:
		s, other = other, s
	}
	if !other.closed {
		if s.n == 1 {
			return s.names[0].P()
		}
		return nil
	}
	for i := range s.n {
		if n := s.names[i].P(); other.has(n) {
			if found != nil {
				return nil
			}
			found = n
		}
	}
	return found
}

// has reports whether a name is one of the set.
func (s *LineSet) has(n *compiled.AccessName) bool {
	for i := range s.n {
		if o := s.names[i].P(); o.Name == n.Name && o.Decl == n.Decl {
			return true
		}
	}
	return false
}
