// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import "testing"

// Without the barrier, phases come between each other.
func TestRaceNoBarrier(t *testing.T) {
	interrupt(t, []scene{
		{"Sweep", func() (first, other func()) {
			g := new(Grid)
			return func() { g.Sweep(0, 0) }, func() { g.Sweep(1, 1) }
		}},
		{"Sum", func() (first, other func()) {
			p := new(Particles)
			return func() { p.Sum(0) }, func() { p.Forces(1) }
		}},
	})
}

// In one phase, each worker writes only what nobody else accesses.
func TestNoRacePhase(t *testing.T) {
	interrupt(t, []scene{
		{"Sweep", func() (first, other func()) {
			g := new(Grid)
			return func() { g.Sweep(0, 0) }, func() { g.Sweep(1, 0); g.Sweep(2, 0) }
		}},
		{"Forces", func() (first, other func()) {
			p := new(Particles)
			return func() { p.Forces(0) }, func() { p.Forces(1); p.Forces(2) }
		}},
	})
}

func TestRaceMonteCarlo(t *testing.T) {
	interrupt(t, []scene{{"PriceInTwo", func() (first, other func()) {
		p := &Paths{tasks: []int{1, 2}}
		return func() { p.PriceInTwo(0) }, func() { p.Price(1) }
	}}})
}

func TestNoRaceMonteCarlo(t *testing.T) {
	invite(t, []scene{{"Price", func() (first, other func()) {
		p := &Paths{tasks: []int{1, 2}}
		return func() { p.Price(0) }, func() { p.Price(1) }
	}}})
}

func TestRaceRaytracer(t *testing.T) {
	interrupt(t, []scene{
		{"Render", func() (first, other func()) {
			m := new(Image)
			return func() { m.Render(0) }, func() { m.Render(1) }
		}},
		{"Run", func() (first, other func()) {
			m := new(Image)
			return func() { m.Run(0) }, func() { m.Run(1) }
		}},
	})
}

func TestNoRaceRaytracer(t *testing.T) {
	invite(t, []scene{{"SafeRender", func() (first, other func()) {
		m := new(Image)
		return func() { m.SafeRender(0) }, func() { m.SafeRender(1) }
	}}})
}

func TestRaceHedc(t *testing.T) {
	interrupt(t, []scene{{"TakeInTwo", func() (first, other func()) {
		c := &Crawler{results: make([]int, 2)}
		return func() { c.TakeInTwo() }, func() { c.Take() }
	}}})
}

func TestNoRaceHedc(t *testing.T) {
	invite(t, []scene{{"Take", func() (first, other func()) {
		c := &Crawler{results: make([]int, 2)}
		return func() { c.Take() }, func() { c.Take(); c.Report(); c.Done() }
	}}})
}

// besideServer is a method of a server, and itself once more.
func besideServer(method func(s *Server, n int)) func() (first, other func()) {
	return func() (first, other func()) {
		s := new(Server)
		return func() { method(s, 1) }, func() { method(s, 2) }
	}
}

func TestRaceJigsaw(t *testing.T) {
	interrupt(t, []scene{
		{"LoadStore", besideServer((*Server).LoadStore)},
		{"GetThread", besideServer(func(s *Server, _ int) { s.GetThread() })},
		{"Log", besideServer(func(s *Server, _ int) { s.Log() })},
		{"Statistics", func() (first, other func()) {
			s := new(Server)
			return func() { s.Statistics() }, func() { s.Hit(1) }
		}},
	})
}

func TestNoRaceJigsaw(t *testing.T) {
	invite(t, []scene{
		{"SafeLoadStore", besideServer((*Server).SafeLoadStore)},
		{"SafeGetThread", besideServer(func(s *Server, _ int) { s.SafeGetThread() })},
		{"SafeLog", besideServer(func(s *Server, _ int) { s.SafeLog() })},
		{"SafeStatistics", func() (first, other func()) {
			s := new(Server)
			return func() { s.SafeStatistics() }, func() { s.Hit(1); s.Sent(1) }
		}},
	})
}
