// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/term"
)

const (
	maxPoints  = 64
	maxMethods = 64
	maxKeys    = 4
	maxArgs    = 6
)

// A Role says what a method is for. Specifications name it, and it decides what a race means.
type Role byte

const (
	Observer Role = term.Observer // changes nothing
	Mutator  Role = term.Mutator  // changes whatever it finds
	Arbiter  Role = term.Arbiter  // checks and acts in one
)

// A Table is a decoded specification: an access point representation (definition 4.4).
type Table struct {
	Type    string
	Of      *compiled.Table // what it was built of
	Methods [maxMethods]Method
	methods int
	points  [maxPoints]point
	keyed   int  // number of keyed points
	quiet   bool // calls may take effect without an announcement
	// Calls that have begun may have observations to join: observations move the generation on.
	observersMove bool
	global        int // number of points without a key
	// Which point has the i-th list of a key, and of the object.
	keyedPoint, globalPoint [maxPoints]uint8
	formula                 *[maxMethods][maxMethods]Formula

	Called atomic.Uint32 // 1 if the program has called a method
	Listed atomic.Uint32 // 1 if a profile of option conc_cover has it
}

// A Method of the type. What a call touches depends on its results. The specification divides them
// into cases, the betas of section 6, and the method has a set of touches for each.
type Method struct {
	Name       string
	Role       Role
	Callback   bool   // it calls back into the program while it is under way
	Open       bool   // it is synchronization itself: nothing that it does is hidden
	narrow     bool   // see stripes.go
	again      bool   // see markAgain
	onlyKeys   bool   // its parameters are its keys
	plain      bool   // see markPlain
	Owns       bool   // its calls change something, and may be those of an owner
	Silent     bool   // its calls do nothing before they end
	stripeKey  uint8  // which of its keys chooses the stripe, if it is narrow
	Derived    bool   // only races that break a check and act, or a transaction, are reported
	Params     string // names, comma separated
	Results    string
	Visible    int            // the number of results that callers see; the others are shadows
	keys       [maxKeys]uint8 // the arguments that are keys
	nkeys      int
	hashed     uint8    // bit i: a semantic exception compares argument i, so its hash is kept
	asks       uint8    // likewise: one asks whether argument i is true
	asksUnused bool     // a semantic exception asks whether its result is used
	touch      *touches // by beta
	betas      int
	may        touches // what it may touch, whatever its results
}

// touches is a set of points.
type touches struct {
	n int
	// One more than the index of the list in which the touch is that is remembered of a call (see
	// keep): of a key where the method has one, and else of the object. It is 0 if there is none.
	found uint8
	wide  uint64 // the points without a key that it conflicts with
	// All points that its own conflict with, or subsume.
	conflicts, subsumes uint64
	all                 [12]touch
}

// A touch is a point: its number, which of the call's keys it has (or 0), and where its list is.
type touch struct {
	point, key uint8
	index      uint8
	keyed      bool
}

// A point is a class of access points: one for each key, or one for the object.
type point struct {
	name      string
	keyed     bool
	index     int    // among the keyed, or among the global
	conflicts uint64 // set of points
	// The set of points that conflict with nothing that this one doesn't conflict with: a later
	// touch of this point can stand for a touch of theirs.
	subsumes uint64
}

// A Formula is what the specification says of two methods.
type Formula struct {
	Text, Pos   string
	exceptions  [4]conjunction // one of these makes the calls commute, whatever their points
	nExceptions int
}

// NParams is the number of parameters.
func (m *Method) NParams() int {
	n := 0
	for names := m.Params; names != ""; n++ {
		_, names = cut(names, ',')
	}
	return n
}

// Key is the index of the argument that is the first key.
func (m *Method) Key() int { return int(m.keys[0]) }

// Values is the number of parameters that are no keys.
func (m *Method) Values() (n int) {
	if m.Params == "" {
		return 0
	}
	n = 1 - m.nkeys
	for i := range len(m.Params) {
		if m.Params[i] == ',' {
			n++
		}
	}
	return n
}

// Len is the number of methods.
func (t *Table) Len() int { return t.methods }

// touched returns the points of a call.
func (t *Table) touched(method, beta uint32) *touches { return t.Methods[method].touched(beta) }

// touched returns the points of a call of m.
func (m *Method) touched(beta uint32) *touches {
	if int(beta) >= m.betas {
		return &m.may // no case of this table, which can't be; this way nothing is missed
	}
	return m.touches(int(beta))
}

// Formula returns what the specification says of methods i and j.
func (t *Table) Formula(i, j uint32) *Formula { return &t.formula[min(i, j)][max(i, j)] }

// OnlyResults reports whether calls that don't commute by the formula leave the object the same in
// either order. They commute if their results are not used.
func (f *Formula) OnlyResults() bool {
	for _, c := range f.exceptions[:f.nExceptions] {
		only := true
		for _, a := range c.atom[:c.n] {
			only = only && a.Op == '~'
		}
		if only {
			return true
		}
	}
	return false
}

// cut is strings.Cut, which is out of reach here; after is empty where there is no separator.
func cut(s string, sep byte) (before, after string) {
	for i := 0; i < len(s); i++ {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// Derived reports whether the specification says what the code does, and not what its user wants.
func (t *Table) Derived() bool { return len(t.Methods) > 0 && t.Methods[0].Derived }
