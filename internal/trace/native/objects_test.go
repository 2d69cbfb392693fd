// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// TestObjectsAt compares which object has an address with a list of all that was told.
func TestObjectsAt(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var o objects
		var list []object
		for range 60 {
			address := 8 * r.Uint64N(1<<13)
			switch size := uint64(8) << r.IntN(14); r.IntN(4) {
			case 0:
				o.forget(address, size)
				kept := list[:0]
				for _, x := range list {
					if x.from >= address+size || x.from+x.size <= address {
						kept = append(kept, x)
					}
				}
				list = kept
			default:
				x := object{address, size, 8 * r.Uint64N(1<<13), 0}
				o.add(x.from, x.size, x.name)
				list = append(list, x)
			}
			for range 20 {
				at := r.Uint64N(1 << 17)
				var want *object
				for i := range list {
					if x := &list[i]; at-x.from < x.size {
						want = x
					}
				}
				got := o.at(at)
				if got == nil != (want == nil) || got != nil && got.name != want.name {
					t.Fatalf("seed %d: %#x is of %v, want %v", seed, at, got, want)
				}
			}
		}
	}
}

// TestObjectsEnd has a channel's address be another object's when the memory is new, and has a
// trace be refused that tells of objects and does not name by addresses.
func TestObjectsEnd(t *testing.T) {
	const text = `commute trace 1
Definitions codec=s2
Meta key="addresses" value="true"
Meta key="objects" value="true"
Events codec=s2 first=0 low=99 ordered=true
Go goroutine=1
Value what=53 value=256 pos=0
Value what=1078 value=4096 pos=0
Release lock=2056 pos=0
Fresh address=0x800 size=64 pos=0
Release lock=2048 pos=0
`
	r := parsed(t, text)
	r.WantCalls()
	if _, err := all(r, 100); err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, s := range r.Calls() {
		if s.Kind == event.Value && s.What == spec.Channel {
			named++
		}
	}
	if named != 1 {
		t.Errorf("%d events are of a channel, want the one before the memory is new", named)
	}
	r = parsed(t, `commute trace 1
Events codec=s2 first=0 low=99 ordered=true
Go goroutine=1
Value what=53 value=256 pos=0
`)
	if _, err := all(r, 100); err == nil {
		t.Error("a trace with dense numbers tells of objects")
	}
}
