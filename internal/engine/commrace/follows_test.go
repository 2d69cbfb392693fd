// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Has touches its key only, and a Touch stands for it without a conflict. A Get touches the
// object, too, and a Sweep stands for that.
const tagsSpec = `//ecl:type example.com/n.Tags
//ecl:observer Has(k)/v, Sees(k)/v
//ecl:commute Add(k1), Has(k2)/v2: k1 != k2
//ecl:commute Add(k1), Sees(k2)/v2: k1 != k2
//ecl:commute Add(k1), Touch(k2): k1 != k2
//ecl:commute Touch(k1), Touch(k2): k1 != k2
//ecl:commute Add(k1), Add(k2): true
//ecl:commute Has(k1)/v1, Touch(k2): true
//ecl:commute Sees(k1)/v1, Touch(k2): true
`

// A books object has observations that touch the object as well.
const booksSpec = `//ecl:type example.com/n.Books
//ecl:observer Has(k)/v
//ecl:commute Add(k1), Has(k2)/v2: k1 != k2
//ecl:commute Reset(), Has(k2)/v2: false
//ecl:commute Reset(), Sweep(): false
//ecl:commute Sweep(), Sweep(): false
//ecl:commute Reset(), Reset(): false
//ecl:commute Has(k1)/v1, Sweep(): true
//ecl:commute Add(k1), Add(k2): true
//ecl:commute Add(k1), Reset(): true
//ecl:commute Add(k1), Sweep(): true
`

// A followed world has an owner, thread 1, whose observations end by EndAgain.
type followed struct {
	*world
	txn       vclock.Epoch // the transactions' epoch, 0 where none runs
	conflicts int          // of transactions

	// Of the last change by another goroutine: the earlier calls that it races with, and when the
	// Has among them has ended, and whether its value is unknown.
	methods []string
	ended   uint32
	unknown bool
}

func newFollowed(t *testing.T, spec string) *followed {
	et, ct := tables(t, spec)
	f := &followed{world: newWorld(et, ct, 3)}
	f.seen, f.owns, f.goid = new(commrace.Seen), true, 2
	return f
}

func (f *followed) Epoch() vclock.Epoch { return f.txn }
func (f *followed) Ends() vclock.Epoch  { return f.txn }

func (f *followed) Conflict(*commrace.Object, *commrace.Action, *commrace.Action) { f.conflicts++ }

func (f *followed) Race(_ *commrace.Object, r commrace.Race) {
	method := f.ecl.Methods[r.First.Method].Name
	f.methods = append(f.methods, method)
	if method == "Has" {
		f.ended, f.unknown = r.First.Ended(), r.First.ValueUnknown()
	}
}

// has makes an observation of the owner's, and reports whether it is remembered.
func (f *followed) has(method string, key int) bool {
	c := engineCall(f.ecl, call{method, []any{key, true}})
	c.SetPlace(commrace.Place{Site: 1})
	if f.seen.EndAgain(f.obj, c, f.threads[1], f, nil) {
		return true
	}
	f.seen.End(f.obj, c, f.threads[1], f)
	return false
}

// changes makes a change of the owner's.
func (f *followed) changes(c call) {
	ec := engineCall(f.ecl, c)
	ec.SetPlace(commrace.Place{Site: 2})
	begin(f.world, ec, f.threads[1], f)
	f.endChange(ec, f.threads[1], f)
}

// other has another goroutine make a change, after which the world has the races of that.
func (f *followed) other(c call) {
	f.goid = 3
	ec := engineCall(f.ecl, c)
	f.obj.Begin(ec, f.threads[2], f)
	f.obj.End(ec, f.threads[2], f)
}

var (
	add1   = call{"Add", []any{1}}
	touch1 = call{"Touch", []any{1}}
	touch2 = call{"Touch", []any{2}}
	sweep  = call{"Sweep", []any{nil}}
	reset  = call{"Reset", []any{nil}}
)

// twice makes an observation twice, and fails if the second one isn't remembered.
func (f *followed) twice(t *testing.T, method string) {
	t.Helper()
	if f.has(method, 1); !f.has(method, 1) {
		t.Fatalf("the second %s is not remembered", method)
	}
}

// An observation that follows one which was subsumed without a conflict is in races of its own.
func TestFollowsSubsumed(t *testing.T) {
	f := newFollowed(t, tagsSpec)
	defer f.end()
	f.twice(t, "Has")
	if f.changes(touch1); !f.has("Has", 1) {
		t.Fatal("the Has after the Touch is not remembered")
	}
	f.other(add1)
	if !slices.Contains(f.methods, "Has") {
		t.Errorf("races with %v, want a Has", f.methods)
	}
}

// So is what it has touched of the object, which lags behind.
func TestFollowsSubsumedObject(t *testing.T) {
	f := newFollowed(t, booksSpec)
	defer f.end()
	f.changes(sweep)
	f.threads[0].Tick()
	f.learns(1, 0) // the next Sweep repeats no other
	for range 4 {
		f.has("Has", 1)
	}
	n := f.owned[1]
	f.changes(sweep)
	if !f.has("Has", 1) || f.owned[1] != n+1 {
		t.Fatal("the Has after the Sweep is not remembered")
	}
	f.other(reset)
	if !slices.Contains(f.methods, "Has") {
		t.Errorf("races with %v, want a Has", f.methods)
	}
}

// The touch that an observation has taken over stays for the next one, after a change of its key.
func TestFollowsStays(t *testing.T) {
	f := newFollowed(t, tagsSpec)
	defer f.end()
	f.twice(t, "Has")
	f.changes(touch1)
	if !f.has("Has", 1) {
		t.Error("the Has after the Touch is not remembered")
	}
}

// An observation that follows another one has ended later.
func TestFollowsEnds(t *testing.T) {
	f := newFollowed(t, tagsSpec)
	defer f.end()
	f.twice(t, "Has")
	f.changes(touch2)
	f.has("Has", 1)
	want := f.obj.Generation() + 1
	if f.other(add1); f.ended != want {
		t.Errorf("the Has has ended at %d, want %d", f.ended, want)
	}
}

// Who knows an observation, by a change that came next, need not know the one that follows it.
func TestFollowsIsLater(t *testing.T) {
	f := newFollowed(t, tagsSpec)
	defer f.end()
	f.twice(t, "Has")
	f.changes(touch2)
	if !f.has("Has", 1) {
		t.Fatal("the Has after the Touch is not remembered")
	}
	f.other(touch2)
	f.methods = nil
	if f.other(add1); !slices.Equal(f.methods, []string{"Has"}) {
		t.Errorf("races with %v, want a Has", f.methods)
	}
}

// What a race tells of a value that may be another one is that it isn't known. That is so if a
// change has not returned that may have taken effect, though a like observation has met it first.
func TestFollowsUnknown(t *testing.T) {
	f := newFollowed(t, tagsSpec)
	defer f.end()
	f.twice(t, "Has")
	ec := engineCall(f.ecl, add1)
	begin(f.world, ec, f.threads[1], f)
	f.obj.Abandon(ec, f)
	sees := engineCall(f.ecl, call{"Sees", []any{1, true}})
	if !repeats(f.obj, sees, f.threads[1]) {
		t.Fatal("the Sees doesn't repeat the Has")
	}
	if !f.has("Has", 1) {
		t.Fatal("the Has after the Sees is not remembered")
	}
	if f.other(add1); !slices.Contains(f.methods, "Has") || !f.unknown {
		t.Errorf("races with %v, value unknown: %v; want a Has whose value is unknown", f.methods,
			f.unknown)
	}
}

// again makes an observation of the owner's in one step.
func (f *followed) again(t *testing.T) {
	t.Helper()
	c := engineCall(f.ecl, call{"Has", []any{1, true}})
	c.SetPlace(commrace.Place{Site: 1})
	if f.seen.AgainAs(f.obj, observation(c), f.threads[1], f) == commrace.Other {
		t.Fatal("the Has is not remembered")
	}
}

// Nor is the value known of an observation that is handed over in one step, and may differ.
func TestFollowsDiffers(t *testing.T) {
	f := newFollowed(t, tagsSpec)
	defer f.end()
	f.twice(t, "Has")
	f.changes(add1)
	for range 2 { // the first one has another value, which the second one need not have
		f.changes(touch2) // so that what it has touched has to move
		f.again(t)
	}
	if f.other(add1); !slices.Contains(f.methods, "Has") || !f.unknown {
		t.Errorf("races with %v, value unknown: %v; want a Has whose value is unknown", f.methods,
			f.unknown)
	}
}

// A change that has met what an observation has touched of the object has the next one be another.
func TestFollowsDiffersObject(t *testing.T) {
	f := newFollowed(t, booksSpec)
	defer f.end()
	f.changes(reset)
	f.threads[0].Tick()
	f.learns(1, 0) // the next Reset repeats no other
	add2 := call{"Add", []any{2}}
	f.changes(add2)
	f.has("Has", 1)
	ended := f.owned[1]
	has := func() {
		f.changes(add2) // so that what the Has has touched has to move
		f.again(t)
	}
	has()
	has()
	f.changes(reset)
	has()
	if n := f.owned[1] - ended; n != 4 {
		t.Fatalf("%d changes have ended as an owner's, want all 4", n)
	}
	if f.other(reset); !slices.Contains(f.methods, "Has") || f.unknown {
		t.Errorf("races with %v, value unknown: %v; want a Has whose value is known", f.methods,
			f.unknown)
	}
}

// An observation that was made in a transaction, and is made again outside, is an edge of none.
func TestFollowsTransaction(t *testing.T) {
	f := newFollowed(t, tagsSpec)
	defer f.end()
	f.txn = 1
	f.has("Has", 1)
	f.txn = 0
	if !f.has("Has", 1) {
		t.Fatal("the second Has is not remembered")
	}
	f.learns(2, 1)
	f.txn = 2
	if f.other(add1); f.conflicts != 0 {
		t.Errorf("%d conflicts of transactions, want none", f.conflicts)
	}
}

// While a call of the owner's is under way its observation is not made in one step.
func TestFollowsUnderWay(t *testing.T) {
	f := newFollowed(t, booksSpec)
	defer f.end()
	f.twice(t, "Has")
	for range 3 {
		f.has("Has", 1)
	}
	c := engineCall(f.ecl, call{"Add", []any{2}})
	if begin(f.world, c, f.threads[1], f); f.owned[0] != 1 {
		t.Fatal("the Add has not begun as an owner's")
	}
	if f.has("Has", 1) {
		t.Error("the Has doesn't look at the call that is under way")
	}
	f.obj.End(c, f.threads[1], f)
}
