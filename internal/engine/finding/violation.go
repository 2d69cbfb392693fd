// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/tests"
)

// A violation is one that was reported: of the transactions at a place by such conflicts. The first
// report is in full; for nine other tests there is a line.
type violation struct {
	next  *violation
	place uintptr
	code  uint64
	last  uintptr // where the last access is
	told  [report.MaxTold]*tests.Test
	tells int

	predicted bool
	count     uint64    // cycles
	sites     [3]uint32 // what was done first of what is marked, and last, and by who interfered
	order     uintptr   // among all, as they were found
	lead      uintptr   // the order of the first of the same place
}

// broken are those that were found, and violated counts those that were reported. They are guarded
// by found.lock.
var (
	broken   *violation
	Violated uint64
)

// Seen counts, for places and tests, the cycles that were looked for: as the search takes long, not all are. It's
// guarded by found.lock.
var Seen [512]struct {
	Place, Test uintptr
	N           uint32
}

const MaxSeen = 64

// Cycle reports a cycle, which is that of x if x is not nil; the test t is to fail.
func Cycle(c *atomicity.Cycle, t *tests.Test, x *report.LostUpdate) {
	option.Ready()
	Found.Lock.Lock()
	tells := chargeCycle(c, t, nil, x)
	Found.Lock.Unlock()
	if tells {
		Wake()
	}
}

// chargeCycle has tests fail for a cycle, and posts its report for the first of them, as
// tellViolation does.
func chargeCycle(c *atomicity.Cycle, t, other *tests.Test, x *report.LostUpdate) bool {
	if over() || hushed(c) || tests.Excused(t, other, tests.ExpectViolation) {
		return false
	}
	t, other = t.Charged(), other.Charged()
	tests.Charge(t, other)
	return tellViolation(c, t, x)
}

// tellViolation posts the report of a cycle that is new for a test. Found.lock is held; wake is to be called when
// it no longer is, if the result is true.
func tellViolation(c *atomicity.Cycle, t *tests.Test, x *report.LostUpdate) bool {
	v := violationOf(c)
	v.count++
	if observed(v, t) || !v.isNew(t) {
		return false
	}
	switch {
	case v.tells > 1:
		tell(repeatMessage(v))
		return true
	case x != nil:
		tell(inferredMessage(x))
	default:
		tell(cycleMessage(c))
	}
	Violated++
	return true
}

// hushed reports whether a line of the suppressions file matches a frame of a cycle.
func hushed(c *atomicity.Cycle) bool {
	for i := range c.N {
		if e := &c.Edges[i]; ruledOut(e.FromSite, e.ToSite) {
			return true
		}
	}
	return false
}

// violationOf returns what is known of violations like c: those of what a transaction did at two lines of what is marked.
func violationOf(c *atomicity.Cycle) *violation {
	code := uint64(0)
	for _, site := range [...]uint32{c.Edges[0].FromSite, c.Edges[c.N-1].ToSite} {
		fr := report.MarkedFrame(c, site)
		code = (code ^ uint64(fr.Line)) * 0x9E3779B97F4A7C15
		for i := range len(fr.File) {
			code = (code ^ uint64(fr.File[i])) * 0x100000001B3
		}
	}
	if c.Predicted {
		code ^= 1
	}
	place := uintptr(unsafe.Pointer(c.Code))
	for v := broken; v != nil; v = v.next {
		if v.place == place && v.code == code {
			return v
		}
	}
	v := (*violation)(host.Alloc(unsafe.Sizeof(violation{})))
	v.place, v.code, v.last, v.predicted, v.next = place, code, lastPC(c), c.Predicted, broken
	v.sites = [...]uint32{c.Edges[0].FromSite, c.Edges[c.N-1].ToSite, c.Edges[0].ToSite}
	broken = v
	return v
}

// isNew reports whether the violation is to be reported for a test, and notes that it is.
func (v *violation) isNew(t *tests.Test) bool {
	for _, told := range v.told[:v.tells] {
		if told == t {
			return false
		}
	}
	if v.tells == report.MaxTold {
		return false
	}
	v.told[v.tells] = t
	v.tells++
	return true
}

// observed reports whether what v predicts, or has observed, has been reported for the test t as observed, or predicted: a
// violation of the same place whose last access is the same.
func observed(v *violation, t *tests.Test) bool {
	for o := broken; o != nil; o = o.next {
		if o.place != v.place || o.last != v.last || o.predicted == v.predicted {
			continue
		}
		for _, told := range o.told[:o.tells] {
			if told == t {
				return true
			}
		}
	}
	return false
}

// lastPC is where the last access of a cycle is.
func lastPC(c *atomicity.Cycle) uintptr {
	if site := c.Edges[c.N-1].ToSite; site > datarace.CutOff {
		return datarace.PC(site)
	}
	return 0
}
