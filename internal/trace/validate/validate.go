// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package validate checks the records of a binary trace against each other. Events are checked by
// event.Validator. This package checks the rest: whatever records refer to is defined, calls have
// their touches, nothing follows a goroutine's exit, and tests that end have begun.
//
// Input: a trace's chunks (package raw), in the order of the file. Steps are checked in the order
// of their numbers. Steps of a ring from before its beginning are not checked. Output: the first
// error.
//
// Chunks of several goroutines overlap. Each chunk says the least number that may still come, so
// steps wait until all before them are there; memory grows with the overlap only.
package validate

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// Check reads a trace to its end, and returns the first error.
func Check(r *raw.Reader) error {
	c := checker{goroutines: make(map[uint64]*goroutine), tests: make(map[uint64]bool),
		middle: r.Ring()}
	for {
		chunk, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.chunk(chunk)
		}
		if err == nil && chunk.Kind == spec.Events {
			err = c.steps(chunk.Low)
		}
		if err != nil {
			return err
		}
	}
}

// A step is one that waits for those with smaller numbers.
type step struct {
	g      *goroutine
	offset int64 // of its chunk
	raw.Record
}

// steps checks the steps with numbers below low.
func (c *checker) steps(low uint64) error {
	slices.SortStableFunc(c.waiting, func(a, b step) int { return cmp.Compare(a.Seq, b.Seq) })
	n := 0
	for n < len(c.waiting) && c.waiting[n].Seq < low {
		s := &c.waiting[n]
		n++
		if s.Seq < c.from {
			continue
		}
		c.now = s.g
		if wrong := c.check(&s.Record); wrong != "" {
			return fail(s.offset, &s.Record, wrong)
		}
	}
	c.waiting = append(c.waiting[:0], c.waiting[n:]...)
	return nil
}

// fail is the error of a record.
func fail(offset int64, r *raw.Record, wrong string) error {
	return &raw.Error{Offset: offset, Text: fmt.Sprintf("in the chunk there: %v: %s", r, wrong)}
}

// A name is the key of a definition.
type name struct {
	kind spec.Kind
	id   uint64
}

// A checker is the state of Check.
type checker struct {
	defined    map[name]bool
	goroutines map[uint64]*goroutine
	now        *goroutine // the goroutine of the next records; nil if none was named
	waiting    []step
	entered    bool            // there was a chunk of events
	from       uint64          // the number of the first step, of a ring
	tests      map[uint64]bool // those that have begun and not ended
	middle     bool            // the trace may start in the middle, after the begin of tests
}

// A goroutine is the state of one.
type goroutine struct {
	id     uint64
	exited bool
	object uint64 // the object of its last call
	left   uint64 // the number of touches that the call still has
}

// chunk checks the definitions of a chunk, and puts its steps among those that wait.
func (c *checker) chunk(chunk *raw.Chunk) error {
	c.now = nil
	if chunk.Kind == spec.Events && !c.entered {
		c.entered, c.from = true, chunk.From
	}
	cursor := chunk.Records()
	var r raw.Record
	for {
		err := cursor.Next(&r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if wrong := c.record(chunk.Offset, &r); wrong != "" {
			return fail(chunk.Offset, &r, wrong)
		}
	}
}

// record returns the error in a record of the chunk at an offset, "" if there is none. Steps are
// not checked yet.
func (c *checker) record(offset int64, r *raw.Record) string {
	switch {
	case r.Kind >= spec.FirstDefinition:
		return c.define(r)
	case r.Kind == event.Go:
		id := r.Args[0]
		if c.goroutines[id] == nil {
			c.goroutines[id] = &goroutine{id: id}
		}
		c.now = c.goroutines[id]
		return ""
	case !spec.InfoOf(r.Kind).IsStep():
		return ""
	case c.now == nil:
		return "no goroutine is named before it in the chunk"
	}
	c.waiting = append(c.waiting, step{c.now, offset, *r})
	return ""
}

// check returns the error in a step of the present goroutine, "" if there is none.
func (c *checker) check(r *raw.Record) string {
	if c.now.exited {
		return fmt.Sprintf("goroutine %d has exited before", c.now.id)
	}
	if wrong := c.touches(r); wrong != "" {
		return wrong
	}
	return c.step(r)
}

// touches checks a record against the goroutine's last call: its touches come next, and are of its
// object.
func (c *checker) touches(r *raw.Record) string {
	g := c.now
	touch := r.Kind == event.Touch || r.Kind == event.TouchKey
	switch {
	case g.left == 0, r.Kind == event.State:
		return "" // a touch may have no call: that of a type that isn't described
	case !touch:
		return fmt.Sprintf("the call before has %d touches more", g.left)
	case r.Args[0] != g.object:
		return fmt.Sprintf("the call before is of object %d", g.object)
	}
	g.left--
	return ""
}

// step checks a step by its kind, and applies it to the state.
func (c *checker) step(r *raw.Record) string {
	switch r.Kind {
	case event.Exit:
		c.now.exited = true
	case event.Call:
		c.now.object, c.now.left = r.Args[0], r.Args[2]
		return c.known(event.Method, r.Args[1])
	case event.Touch, event.TouchKey:
		return c.known(event.Point, r.Args[1])
	case event.Begin:
		if r.Args[0] != 0 {
			return c.known(event.Section, r.Args[0])
		}
	case event.State:
		if r.Args[1] != 0 && r.Args[2] != 0 {
			return c.known(event.Section, r.Args[2])
		}
	case event.TestBegin:
		if c.tests[r.Args[0]] {
			return "the test has begun before"
		}
		c.tests[r.Args[0]] = true
		return c.known(event.Test, r.Args[0])
	case event.TestEnd:
		if !c.tests[r.Args[0]] && !c.middle {
			return "the test has not begun"
		}
		delete(c.tests, r.Args[0])
	}
	return ""
}

// known is "" if a definition was there, and otherwise an error.
func (c *checker) known(k spec.Kind, id uint64) string {
	if c.defined[name{k, id}] {
		return ""
	}
	return fmt.Sprintf("%v %d is not defined before", k.Name(), id)
}

// define notes a definition; a conflict refers to points.
func (c *checker) define(r *raw.Record) string {
	switch r.Kind {
	case event.Conflict:
		for _, id := range r.Args[:2] {
			if wrong := c.known(event.Point, id); wrong != "" {
				return wrong
			}
		}
	case event.Point, event.Method, event.Section, event.Test:
		if c.defined == nil {
			c.defined = make(map[name]bool)
		}
		c.defined[name{r.Kind, r.Args[0]}] = true
	}
	return ""
}
