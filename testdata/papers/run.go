// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import "github.com/commutego/commute/testdata/papers/turn"

// A program is one of the papers', which can be run as it goes.
type program struct {
	name string // as in internal/bench/tracebench/programs
	run  func(r run)
}

// natural are all programs.
var natural = []program{
	{"account", account}, {"philo", philo}, {"elevator", elevator}, {"tsp", tsp},
	{"Barrier", meeting}, {"SynchBench", synchBench}, {"ThriftTrace", thrift},
	{"sor", sor}, {"hedc", hedc}, {"moldyn", moldyn}, {"montecarlo", montecarlo},
	{"raytracer", raytracer}, {"jigsaw", jigsaw}, {"StringBuffer", stringBuffer},
	{"Vector", vectors}, {"Hashtable", tables}, {"Stack", stacks},
}

// workers is how many goroutines compute: one paper has three.
const workers = 3

// A run says how much is done, and what the goroutines choose.
type run struct {
	seed uint64
	work int
}

// times calls a function n times for each unit of work, with numbers that the goroutine draws.
func (r run) times(n, goroutine int, f func(number int)) {
	x := r.seed<<8 | uint64(goroutine)
	for range n * r.work {
		x = x*6364136223846793005 + 1442695040888963407
		f(int(x>>40) & 0xff)
	}
}

// workers has each of the workers call a function n times for each unit of work.
func (r run) workers(n int, f func(part int)) {
	var list []func()
	for part := range workers {
		list = append(list, func() {
			r.times(n, part, func(int) {
				f(part)
				turn.Here()
			})
		})
	}
	turn.Go(list...)
}
