// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"container/heap"

	"github.com/commutego/commute/check/event"
)

// A run is events of steps that have consecutive numbers.
type run struct {
	first, end uint64 // the first number, and the one after the last
	events     []event.Event
}

// runs is a heap, the least number on top.
type runs []run

func (h runs) Len() int           { return len(h) }
func (h runs) Less(i, j int) bool { return h[i].first < h[j].first }
func (h runs) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runs) Push(x any)        { *h = append(*h, x.(run)) }

func (h *runs) Pop() any {
	old := *h
	x := old[len(old)-1]
	old[len(old)-1] = run{}
	*h = old[:len(old)-1]
	return x
}

func (h runs) steps() (n int) {
	for i := range h {
		n += int(h[i].end - h[i].first)
	}
	return n
}

// collect decodes the rest of a chunk whose steps must be put in order.
func (r *Reader) collect() error {
	for r.at < len(r.buf) {
		now := run{first: r.seq}
		r.jumped = false
		for r.at < len(r.buf) && !r.jumped {
			n := len(now.events)
			if n+2 > cap(now.events) {
				now.events = append(make([]event.Event, 0, 16+2*n), now.events...)
			}
			got, err := r.decode(now.events[n:cap(now.events)])
			if err != nil {
				return err
			}
			now.events = now.events[:n+got]
		}
		if now.end = r.seq; r.jumped {
			now.end = r.jumpedFrom
		}
		if now.end > now.first {
			heap.Push(&r.runs, now)
		}
	}
	return nil
}

// give gives out events of steps that none can come before any more.
func (r *Reader) give(events []event.Event) (int, error) {
	for len(r.rest) == 0 {
		if len(r.runs) == 0 || r.runs[0].first >= r.low {
			return 0, nil
		}
		next := heap.Pop(&r.runs).(run)
		if next.first < r.reached {
			return 0, r.fail("or one before has step %d, which is there twice or too late", next.first)
		}
		r.reached = next.end
		r.rest = next.events
	}
	n := copy(events, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
