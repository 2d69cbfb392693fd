// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import "github.com/commutego/commute/internal/event"

// A Case is a trace with its verdicts.
type Case struct {
	Name      string
	Text      string // see Parse
	Graph     []int  // the events at which a violation is found
	AeroDrome int    // the event at which AeroDrome declares one, or -1
}

// MapRelation is the relation for [Cases]: the points 0 to 3 are read, write, size and resize.
var MapRelation = func() *event.Relation {
	r, err := event.NewRelation(4, [2]uint32{0, 1}, [2]uint32{1, 1}, [2]uint32{2, 3})
	if err != nil {
		panic(err)
	}
	return r
}()

// Cases are the traces of Mathur and Viswanathan (ASPLOS 2020), and one for each thing that is
// easily done wrong.
var Cases = []Case{
	{"rho1", "1> 1wx 2> 2rx 2< 3> 3wz 3< 1rz 1<", nil, -1},
	{"rho2", "1> 2> 1wx 2rx 2wy 1ry 1< 2<", []int{5}, 5},
	{"rho3", "1> 2> 1wx 2wy 1ry 2rx 1< 2<", []int{5}, 6},
	{"rho4", "1> 1wx 2> 2wy 2rx 2< 3> 3ry 3wz 3< 1rz 1<", []int{10}, 10},

	{"no marked transaction", "1wx 2wx 1wx 2wx 1rx 2rx", nil, -1},
	{"reads commute", "1> 1rx 2rx 1rx 1<", nil, -1},
	{"unary in between", "1> 1rx 2wx 1rx 1<", []int{3}, 3},
	{"nested begin and end count for nothing", "1> 1> 1wx 1< 2wx 1wx 1<", []int{5}, 5},
	{"nothing nested is left open", "1> 1> 1wx 1< 1< 2wx 1wx", nil, -1},
	{"two running transactions that never end", "1> 2> 1wx 2wy 1ry 2rx", []int{5}, -1},
	{"one violation for a transaction", "1> 1wx 2wx 1wx 2wx 1wx 1< 1> 1wx 2wx 1wx",
		[]int{3, 10}, 3},
	{"both transactions of a cycle", "1> 1wx 2> 2wx 1wx 2wx 1< 2<", []int{4, 5}, 4},
	{"repetition after the cycle was closed elsewhere",
		"1> 2> 3> 3wa 1ra 2wx 1wx 1wy 2ry 1wb 3rb 1ra 1<",
		[]int{8, 10, 11}, 8},

	{"empty child", "1> 1f2 1j2 1<", nil, -1},
	{"empty child that knows", "1> 1wx 1f2 1< 3> 3wx 3j2 3<", nil, -1},
	{"child of one event", "1> 1f2 2wx 1j2 1<", []int{3}, 3},
	{"child of an empty transaction", "1> 1f2 2> 2< 1j2 1<", []int{4}, 4},
	{"child begins", "1> 1f2 2> 2wx 2< 1rx 1<", []int{5}, 5},
	{"unary fork", "1> 1wx 2rx 2f3 3wy 1ry 1<", []int{5}, 5},
	{"child forks", "1> 1f2 2f3 3wy 1ry 1<", []int{4}, 4},
	{"unary join", "1f2 3> 3wx 2rx 1j2 1wy 3ry 3<", []int{6}, 6},
	{"join by two", "1f2 3> 3wx 2rx 1j2 4j2 4wy 3ry 3<", []int{7}, 7},

	{"child joins its forker", "0> 0f1 1f5 5> 5f4 4> 4< 0j4 5j1", []int{7, 8}, 7},

	{"written in an earlier transaction too", "1> 1wx 1< 1> 1wx 2> 2wy 1ry 1< 2rx 2<", []int{9}, 9},
	{"only predecessor is an earlier transaction of its thread",
		"2> 2wx 1> 1rx 1< 1> 1wy 1< 2ry 2<", []int{8}, 8},
	{"only predecessor is an earlier unary event of its thread", "2> 2wx 1rx 1> 1wy 1< 2ry 2<",
		[]int{6}, 6},
	{"the same, by way of a third", "2> 2wx 1rx 1> 1wy 1< 3> 3ry 3wz 3< 2rz 2<", []int{10}, 10},
	{"the predecessor's predecessor comes later", "1> 1wx 1< 1> 2> 2wy 1ry 1wz 2< 3rz 3ww 1<", nil,
		-1},
	{"ended after it was read", "1> 1wx 2> 2wy 2rx 2< 3> 3ry 3< 3> 3wz 3< 1rz", []int{12}, 12},
	{"learned after it was written", "1> 1wa 2ra 2wx 3> 3wy 1ry 1< 5rx 5wz 3rz 3<", []int{10}, 10},
	{"learned after it was read by two", "1> 1wa 2ra 2rx 4rx 3> 3wy 1ry 1< 5wx 5wz 3rz 3<",
		[]int{11}, 11},
	{"known before and after", "1> 1wa 4> 4wb 2ra 2rb 2wx 3> 3wy 1ry 1< 3< 5rx 5wz 4rz 4<",
		[]int{14}, 14},
	{"learned at one end, then at another",
		"1> 1wa 2ra 2wx 3> 3wy 1ry 1< 6> 6wc 3rc 3< 5rx 5wz 6rz 6<", []int{14}, 14},
	{"variable without a writer", "1> 1rx 2> 2wy 2< 1ry 1< 2wx", nil, -1},
	{"unary event with two predecessors", "1> 1rx 2rx 3wx 3wy 1ry 1<", []int{5}, 5},
	{"unary events of one thread", "1> 1wx 2rx 2wy 2wz 1rz 1<", []int{5}, 5},
	{"unary event before the edge", "1> 2wy 1wx 2rx 1ry 1<", nil, -1},

	{"release and acquire", "1> 1+a 1-a 2+a 2wy 1ry 1<", []int{5}, 5},
	{"acquire and release", "1> 1+a 2-a 2wy 2wz 1rx 1<", nil, -1},
	{"two acquires", "1> 1+a 2+a 1+a 1<", nil, -1},
	{"lock released in the middle", "1> 1+a 1-a 2+a 2-a 1+a 1-a 1<", []int{5}, 5},
	{"release replaces", "1> 1-a 2-a 3+a 3wy 1ry 1<", nil, -1},
	{"release replaces a merging one", "1> 1~a 2-a 3+a 3wy 1ry 1<", nil, -1},
	{"merging release adds", "1> 1-a 2~a 3+a 3wy 1ry 1<", []int{5}, 5},
	{"merging releases", "1> 1~a 2~a 3+a 3wy 1ry 1<", []int{5}, 5},
	{"acquire leaves merging releases", "1> 1~a 2~a 2+a 3+a 3wy 1ry 1<", []int{6}, 6},
	{"readers of a lock", "1> 1+a 1~b 2+a 2~b 1+a 1~b 1<", nil, -1},
	{"writer between readers", "1> 1+a 1~b 2+a 2+b 2-a 2-b 1+a 1<", []int{7}, 7},

	{"points conflict", "1> 1t0.0 2t0.1 1t0.0 1<", []int{3}, 3},
	{"point conflicts with itself", "1> 1t0.1 2t0.1 1t0.1 1<", []int{3}, 3},
	{"points commute", "1> 1t0.2 2t0.2 2t0.1 1t0.2 1<", nil, -1},
	{"points of two objects", "1> 1t0.1 2t1.1 1t0.1 1<", nil, -1},
	{"point that is not subsumed", "1> 1t0.2 3t0.2 2t0.3 2wy 1ry 1<", []int{5}, 5},
	{"point that is subsumed", "1> 1t0.0 2t0.1 3t0.1 3wy 1ry 1<", []int{5}, 5},
	{"touch between two of a point that commutes with itself", "1> 1t0.2 2t0.3 1t0.2 1<",
		[]int{3}, 3},
}

// Run gives a case's events to a checker, and returns the events at which it finds a violation.
func (c Case) Run(to event.Checker) []int {
	var at []int
	for i, e := range Parse(c.Text) {
		if to.Event(&e) {
			at = append(at, i)
		}
	}
	return at
}
