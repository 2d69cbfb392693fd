// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/sync"
)

// keptSections are the packages that tests have registered: the engine keeps their addresses.
var keptSections []*compiled.SectionRegistration

// pairedPackage is a package with a function with a pair of its own touches, or of those that it
// imports.
func pairedPackage(imported ...*compiled.SectionRegistration) *compiled.SectionRegistration {
	r := &compiled.SectionRegistration{Touches: []compiled.SectionTouch{
		{Op: compiled.Len}, {Op: compiled.ReadVar}, {Op: compiled.WriteVar}}}
	at := r.Touches
	for _, o := range imported {
		at = o.Touches
		r.Imported = append(r.Imported, at)
	}
	r.Funcs = []compiled.SectionFunc{{Pairs: []compiled.SectionPair{{Check: &at[1], Act: &at[2]}}}}
	keptSections = append(keptSections, r)
	return r
}

// TestSectionsBegin has sections followed from the first activation on of a function with pairs,
// by each goroutine. The touches of its package are hot then, and those of packages with pairs of
// the same touches, but no others.
func TestSectionsBegin(t *testing.T) {
	if ^uintptr(0)>>63 == 0 {
		t.Skip("a program with addresses of 32 bits has no weak clocks")
	}
	const addr = 0x7b0000400000
	fixture.Clear(t)
	sync.SetWeakClocks(false)
	defer sync.SetWeakClocks(false)
	shared := pairedPackage()
	user, other := pairedPackage(shared), pairedPackage()
	of := pairedPackage(user)
	late := pairedPackage(shared)
	for _, r := range []*compiled.SectionRegistration{of, other, shared, user} {
		record.RegisterSections(r)
	}
	g, h := startCaller(), startCaller()
	g.Release(addr)
	hot := func(when string, want ...*compiled.SectionRegistration) {
		t.Helper()
		for i, r := range []*compiled.SectionRegistration{shared, user, of, other, late} {
			for j := range r.Touches {
				if is := r.Touches[j].Hot.Load() != 0; is != slices.Contains(want, r) {
					t.Errorf("%s: touch %d of package %d is hot: %v", when, j, i, is)
				}
			}
			if is := r.Funcs[0].Hot.Load() != 0; is != slices.Contains(want, r) {
				t.Errorf("%s: the function of package %d is hot: %v", when, i, is)
			}
		}
	}
	if hot("before"); sync.WeakClocks() || instance.Sections.On() {
		t.Error("sections are followed before the first activation")
	}
	var a, b, c section.Activation
	g.EnterPaired(&a, &user.Funcs[0])
	if !sync.WeakClocks() || !instance.Sections.On() || !g.Weak.Started() {
		t.Error("sections are not followed from the first activation on")
	}
	hot("in an activation", shared, user, of)
	if shared.Touches[1].Hot.Load() == shared.Touches[0].Hot.Load() {
		t.Error("a touch of a pair is like others")
	}
	record.RegisterSections(late)
	hot("when another package is registered", shared, user, of)
	h.EnterPaired(&b, &other.Funcs[0])
	if !h.Weak.Started() {
		t.Error("a second goroutine is not followed")
	}
	hot("in an activation of another package", shared, user, of, other)
	h.EnterPaired(&c, &late.Funcs[0])
	hot("in the late package", shared, user, of, other, late)
	h.LeavePaired(&c)
	h.LeavePaired(&b)
	g.LeavePaired(&a)
	g.Finish()
	h.Finish()
}

// TestSectionsRecorded has sections followed from the first function with pairs on in a trace.
func TestSectionsRecorded(t *testing.T) {
	if ^uintptr(0)>>63 == 0 {
		t.Skip("a program with addresses of 32 bits has no weak clocks")
	}
	fixture.Clear(t)
	sync.SetWeakClocks(false)
	defer sync.SetWeakClocks(false)
	host.Output = func(uintptr, []byte) bool { return true }
	defer func() { host.Output = nil }()
	record.Forget()
	recorder.Start(7, 0)
	defer recorder.Stop()
	r := pairedPackage()
	record.RegisterSections(r)
	if !sync.WeakClocks() || !instance.Sections.On() || r.Touches[0].Hot.Load() == 0 {
		t.Error("sections are not followed, so that a trace doesn't have them")
	}
}
