// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// The examples are serializable as they were recorded, and mean:
//
//	put off          what came before the transaction could have come between two parts of it
//	broken read      the last read of a transaction sees another write
//	two variables    neither transaction is interrupted: two conflicts close the cycle
//	put off, read    the transaction has read what came before it, so that can't be put off
//	under one lock   a lost update, were it not for the lock
var examples = []struct {
	name, text string
	witness    []int32 // steps from 1; nil: nothing is found
}{
	{"put off", "1+l 1wx 1-l 0> 0+l 0wx 0-l 0+l 0wx 0-l 0<", []int32{4, 5, 6, 7, 1, 2, 3, 8, 9}},
	{"broken read", "1wp 0> 0rp 0rp 0< 1wp", []int32{1, 2, 3, 6, 4}},
	{"two variables", "0> 0wx 0ry 0< 1> 1wy 1rx 1<", []int32{1, 2, 5, 6, 3, 7}},
	{"put off, read", "1+l 1wx 1-l 0> 0+l 0rx 0-l 0+l 0wx 0-l 0<", nil},
	{"under one lock", "0> 0+l 0rx 0wx 0-l 0< 1> 1+l 1rx 1wx 1-l 1<", nil},
}

func TestExamples(t *testing.T) {
	for _, c := range examples {
		t.Run(c.name, func(t *testing.T) {
			tr := brute.Trace{Trace: tracegen.Trace{Events: tracegen.Parse(c.text), Mutexes: true}}
			tr.Piece = brute.Whole(tr.Trace)
			seg := reorder.NewSegment(tr.Piece, nil)
			if _, ok := newPattern(seg).cycle(inOrder(tr.Piece)); ok {
				t.Fatal("it is not serializable as it is")
			}
			var found []int32
			for i := range tr.Piece.Steps {
				if tr.Piece.Steps[i].Op == reorder.Begin && found == nil {
					found, _ = newPattern(seg).find(int32(i), nil)
				}
			}
			s := newSearch(seg, 1000)
			if s.find(reorder.None) != (c.witness != nil) || (found != nil) != (c.witness != nil) {
				t.Fatalf("found %v, the search %v", found, s.Order())
			}
			if c.witness == nil {
				return
			}
			prove(t, tr, found)
			for i := range c.witness {
				c.witness[i]--
			}
			prove(t, tr, slices.Clone(c.witness))
		})
	}
}
