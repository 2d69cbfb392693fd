// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// After so many points, and so many choices without a point, arrivals are let in: somebody may
// spin, or yield in a loop, and wait for them.
const (
	admitAfter = 10_000
	admitIdle  = 1000
)

// A Pace counts the points of a run, and the choices since the last one.
type Pace struct{ points, idle uint32 }

// Due reports whether the next choice lets arrivals in.
func (p *Pace) Due() bool { return p.points > 0 && p.points%admitAfter == 0 || p.Idles() }

// Idles reports whether there were many choices without a point.
func (p *Pace) Idles() bool { return (p.idle+1)%admitIdle == 0 }

func (p *Pace) point() { p.points, p.idle = p.points+1, 0 }
