// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// After so many points, and so many choices without a point, arrivals are let in: somebody may
// spin, or yield in a loop, and wait for them.
const (
	admitAfter = 10_000
	admitIdle  = 1000
)

// PassedMost is how many operations of the library's own in a row are no points: who makes more may
// wait in a loop.
const PassedMost = 1000

// AskMost is after how many times that goroutines have asked for input, or sent, time passes.
const AskMost = 100

// A Pace counts the points of a run, the choices since the last one, and how often goroutines have
// asked for input.
type Pace struct{ points, idle, asks uint32 }

// Due reports whether the next choice lets arrivals in.
func (p *Pace) Due() bool { return p.points > 0 && p.points%admitAfter == 0 || p.Idles() }

// Idles reports whether there were many choices without a point.
func (p *Pace) Idles() bool { return (p.idle+1)%admitIdle == 0 }

// spin has the next choice let arrivals in.
func (p *Pace) spin() { p.idle = admitIdle - 1 }

func (p *Pace) point() { p.points, p.idle = p.points+1, 0 }

// ask notes that the holder is about to ask for input, or to send. It reports whether time passes:
// who copies without end gets to a deadline.
func (p *Pace) ask() bool {
	p.asks++
	return p.asks%AskMost == 0
}
