// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
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

// TestSectionsBegin has sections followed from the first thing on that instrumented code does, of
// whatever kind, and by each goroutine from its own first one.
func TestSectionsBegin(t *testing.T) {
	if ^uintptr(0)>>63 == 0 {
		t.Skip("a program with addresses of 32 bits has no weak clocks")
	}
	const addr = 0x7b0000400000
	var a section.Activation
	f := &compiled.SectionFunc{Pairs: []compiled.SectionPair{{
		Check: &compiled.SectionTouch{Op: compiled.ReadVar},
		Act:   &compiled.SectionTouch{Op: compiled.WriteVar},
	}}}
	for name, do := range map[string]func(g *Caller){
		"a lock":              func(g *Caller) { g.Locks(&compiled.LockSite{Size: 8}, addr) },
		"an atomic operation": func(g *Caller) { g.Operates(f.Pairs[0].Check, addr, 8) },
		"an activation": func(g *Caller) {
			a = section.Activation{}
			g.EnterPaired(&a, f)
		},
	} {
		fixture.Clear(t)
		sync.SetWeakClocks(false)
		sync.RegisterSection(f)
		g, h := startCaller(), startCaller()
		g.Release(addr + 64)
		if sync.WeakClocks() {
			t.Errorf("%s: sections are followed before it", name)
		}
		for _, c := range []*Caller{g, h} {
			do(c)
			if !sync.WeakClocks() || !instance.Sections.On() || !c.Weak.Started() {
				t.Errorf("%s: sections are not followed from it on", name)
			}
		}
		g.Finish()
		h.Finish()
		sync.SetWeakClocks(false)
	}
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
	f := &compiled.SectionFunc{Pairs: []compiled.SectionPair{{
		Check: &compiled.SectionTouch{Op: compiled.ReadVar},
		Act:   &compiled.SectionTouch{Op: compiled.WriteVar},
	}}}
	if record.RegisterSection(f); !sync.WeakClocks() || !instance.Sections.On() {
		t.Error("sections are not followed, so that a trace doesn't have them")
	}
}
