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

// A violation is one that was reported: all cycles of the transactions of some code between two
// lines of it. The first report is in full; for nine other tests there is a line.
type violation struct {
	next        *violation
	code        uintptr // the atomic code, a *atomicity.AtomicCode
	lines       uint64  // a hash of the two lines
	last        uintptr // the return address of the last access
	reportedFor [report.MaxReports]*tests.Test
	reports     int

	predicted bool
	count     uint64 // how many cycles
	// sites are those of the transaction's first and last event, and of the interfering event.
	sites [3]uint32
	order uintptr // how many were found before
	lead  uintptr // the order of the first of the same code
}

// violations are those that were found, the last one first, and violationReports counts the
// full reports. found.lock guards both.
var (
	violations       *violation
	violationReports uint64
)

// searches counts, for code and test, the cycles that were looked for. As the search takes long,
// not all are. found.lock guards it.
var searches [512]struct {
	code, test uintptr
	n          uint32
}

// maxSearches is how many cycles are looked for, of each code in each test.
const maxSearches = 64

// WantsCycle counts a cycle of a transaction of the code p in a test, and reports whether it is to
// be looked for.
func WantsCycle(p *atomicity.AtomicCode, t *tests.Test) bool {
	place, test := uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(t))
	found.lock.Lock()
	n := uint32(0) // where there is no room, it is always looked for
	for i := range uintptr(8) {
		s := &searches[(place>>4^test>>4+i)%uintptr(len(searches))]
		if s.n == 0 {
			s.code, s.test = place, test
		}
		if s.code == place && s.test == test {
			s.n++
			n = s.n
			break
		}
	}
	found.lock.Unlock()
	return n <= maxSearches
}

// Cycle reports a cycle, and charges the test t.
func Cycle(c *atomicity.Cycle, t *tests.Test) {
	option.Ready()
	found.lock.Lock()
	posted := chargeCycle(c, t, nil)
	found.lock.Unlock()
	if posted {
		Wake()
	}
}

// chargeCycle charges tests with a cycle, and posts its report for the first of them, as
// postViolation does.
func chargeCycle(c *atomicity.Cycle, t, other *tests.Test) bool {
	if isClosed() || suppressedCycle(c) || tests.Excused(t, other, tests.ExpectViolation) {
		return false
	}
	t, other = t.Charged(), other.Charged()
	tests.Charge(t, other)
	return postViolation(c, t)
}

// postViolation posts the report of a cycle that is new for a test, and reports whether it did.
// found.lock is held. If the result is true, the caller calls Wake when it is released.
func postViolation(c *atomicity.Cycle, t *tests.Test) bool {
	v := violationOf(c)
	v.count++
	o := otherEvidence(v, t)
	if o != nil && v.predicted || !v.isNew(t) {
		return false
	}
	if o != nil {
		o.replace(t)
	} else {
		tests.Tell(t, nil)
	}
	if v.reports > 1 {
		postReport(repeatMessage(v))
		return true
	}
	postReport(cycleMessage(c).of(t, nil))
	coverSections(c.Code)
	violationReports++
	return true
}

// suppressedCycle reports whether a line of the suppressions file matches a frame of a cycle.
func suppressedCycle(c *atomicity.Cycle) bool {
	hit := option.About(aboutViolation)
	for i := range c.N {
		e := &c.Edges[i]
		hit = suppressedSites(e.FromSite, e.ToSite) || hit
	}
	return hit
}

// violationOf returns what is known of violations like c: of the same code, between the same lines.
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
	for v := violations; v != nil; v = v.next {
		if v.code == place && v.lines == code {
			return v
		}
	}
	v := (*violation)(host.Alloc(unsafe.Sizeof(violation{})))
	v.code, v.lines, v.last, v.predicted, v.next = place, code, lastPC(c), c.Predicted, violations
	v.sites = [...]uint32{c.Edges[0].FromSite, c.Edges[c.N-1].ToSite, c.Edges[0].ToSite}
	violations = v
	return v
}

// isNew reports whether the violation is to be reported for a test, and notes that it is.
func (v *violation) isNew(t *tests.Test) bool {
	for _, told := range v.reportedFor[:v.reports] {
		if told == t {
			return false
		}
	}
	if v.reports == report.MaxReports {
		return false
	}
	v.reportedFor[v.reports] = t
	v.reports++
	return true
}

// otherEvidence is a violation of the same code, whose last access is the same, that was reported
// for the test t: one that was observed if v is predicted, and one that was predicted otherwise. It
// is nil if there is none.
func otherEvidence(v *violation, t *tests.Test) *violation {
	for o := violations; o != nil; o = o.next {
		if o.code != v.code || o.last != v.last || o.predicted == v.predicted {
			continue
		}
		for _, told := range o.reportedFor[:o.reports] {
			if told == t {
				return o
			}
		}
	}
	return nil
}

// replace takes back that a prediction was reported for a test, for it has been observed there. If
// no other test has it, it counts no longer.
func (v *violation) replace(t *tests.Test) {
	for i := range v.reports {
		if v.reportedFor[i] == t {
			v.reports--
			v.reportedFor[i] = v.reportedFor[v.reports]
			break
		}
	}
	if v.reports == 0 {
		violationReports--
	}
}

// lastPC is the return address of the last access of a cycle.
func lastPC(c *atomicity.Cycle) uintptr {
	if site := c.Edges[c.N-1].ToSite; site > datarace.CutOff {
		return datarace.PC(site)
	}
	return 0
}
