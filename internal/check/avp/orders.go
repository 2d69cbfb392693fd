// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import "github.com/commutego/commute/internal/check/reorder"

// Orders are the vectors of a segment, equation 1 of the paper: for each step and thread how many
// of the thread's steps come before the step in every order in which it isn't a broken read. A
// vector is shared by the steps of a thread between two that come after others.
type orders struct {
	*reorder.Segment
	vector  []int32 // by step: which one
	vectors []int32 // Threads numbers each
}

// newOrders determines the vectors of a segment, O(n k) with k threads. If known is not set,
// nothing is known of the order, but for that of each thread.
func newOrders(s *reorder.Segment, known bool) *orders {
	o := &orders{Segment: s, vector: make([]int32, len(s.Steps))}
	of := make([]int32, s.Threads) // by thread: its present vector
	for t := range of {
		of[t] = o.fresh(nil)
	}
	if !known {
		return o // all steps have the first vector
	}
	for i := range s.Steps {
		i, t := int32(i), s.Thread[i]
		join := func(j int32) {
			if u := s.Thread[j]; u != t && o.of(of[t])[u] <= s.Pos[j] {
				of[t] = o.fresh(o.of(of[t]))
				v := o.of(of[t])
				for n, at := range o.of(o.vector[j]) {
					v[n] = max(v[n], at)
				}
				v[u] = max(v[u], s.Pos[j]+1)
			}
		}
		if w := s.From[i]; w != reorder.None {
			join(w)
		}
		for _, j := range s.Needs(i) {
			join(j)
		}
		if x := s.Target[i]; s.Steps[i].Op == reorder.Join && x != reorder.None {
			join(s.Of[x][len(s.Of[x])-1])
		}
		o.vector[i] = of[t]
	}
	return o
}

func (o *orders) of(vector int32) []int32 {
	return o.vectors[int(vector)*o.Threads : (int(vector)+1)*o.Threads]
}

// fresh is a new vector with the numbers of another.
func (o *orders) fresh(from []int32) int32 {
	n := len(o.vectors) / o.Threads
	if from == nil {
		from = make([]int32, o.Threads)
	}
	o.vectors = append(o.vectors, from...)
	return int32(n)
}

// before is how many steps of another thread come before a step.
func (o *orders) before(i, thread int32) int32 { return o.of(o.vector[i])[thread] }

// after is how many steps of another thread may come before a step: those until the first that
// comes after it. A read whose only way to come after it is that it sees the step itself, or what
// comes after that, may be broken.
func (o *orders) after(i, thread int32) int32 {
	t, at := o.Thread[i], o.Pos[i]
	list := o.Of[thread]
	lo, hi := 0, len(list)
	for lo < hi {
		if m := (lo + hi) / 2; o.of(o.vector[list[m]])[t] <= at {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(list) && o.Steps[list[lo]].Op == reorder.Read {
		lo++
	}
	return int32(lo)
}
