// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package validate checks what a binary trace's records say of each other, beyond what becomes events (those are
// checked by event.Validator): that what they name is defined, calls have their touches, nothing follows a goroutine's exit, and
// tests that end have begun.
//
// Input: a trace's chunks (package raw), in the order of the file, in which the records of each goroutine are in its own
// order. Output: the first that is wrong.
package validate

import (
	"fmt"
	"io"

	"github.com/commutego/commute/trace/raw"
	"github.com/commutego/commute/trace/spec"
)

// Check reads a trace to its end.
func Check(r *raw.Reader) error {
	c := checker{goroutines: make(map[uint64]*goroutine), tests: make(map[uint64]bool), middle: r.Ring()}
	for {
		chunk, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.chunk(chunk)
		}
		if err != nil {
			return err
		}
	}
}

// A name is a definition: what kind, of what.
type name struct {
	kind spec.Kind
	id   uint64
}

type checker struct {
	defined    map[name]bool
	goroutines map[uint64]*goroutine
	now        *goroutine // of the records to come; nil if none is named
	tests      map[uint64]bool
	middle     bool // the trace may start in the middle: tests that end may have begun before
}

type goroutine struct {
	id     uint64
	exited bool
	object uint64 // of its last call
	left   uint64 // touches that the call still has
}

func (c *checker) chunk(chunk *raw.Chunk) error {
	c.now = nil
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
		if wrong := c.record(&r); wrong != "" {
			return &raw.Error{Offset: chunk.Offset, Text: fmt.Sprintf("in the chunk there: %v: %s", &r, wrong)}
		}
	}
}

// record says what is wrong with a record, "" if nothing is.
func (c *checker) record(r *raw.Record) string {
	switch {
	case r.Kind >= spec.FirstDefinition:
		return c.define(r)
	case r.Kind == spec.Go:
		id := r.Args[0]
		if c.goroutines[id] == nil {
			c.goroutines[id] = &goroutine{id: id}
		}
		c.now = c.goroutines[id]
		return ""
	case !r.Kind.Info().Step:
		return ""
	case c.now == nil:
		return "no goroutine is named before it in the chunk"
	case c.now.exited:
		return fmt.Sprintf("goroutine %d has exited before", c.now.id)
	}
	if wrong := c.touches(r); wrong != "" {
		return wrong
	}
	return c.step(r)
}

// touches holds a record against the call that the goroutine has made last.
func (c *checker) touches(r *raw.Record) string {
	g := c.now
	touch := r.Kind == spec.Touch || r.Kind == spec.TouchKey
	switch {
	case g.left == 0, r.Kind == spec.State:
		return "" // a touch without a call is one that nobody describes
	case !touch:
		return fmt.Sprintf("the call before has %d touches more", g.left)
	case r.Args[0] != g.object:
		return fmt.Sprintf("the call before is of object %d", g.object)
	}
	g.left--
	return ""
}

func (c *checker) step(r *raw.Record) string {
	switch r.Kind {
	case spec.Exit:
		c.now.exited = true
	case spec.Call:
		c.now.object, c.now.left = r.Args[0], r.Args[2]
		return c.known(spec.Method, r.Args[1])
	case spec.Touch, spec.TouchKey:
		return c.known(spec.Point, r.Args[1])
	case spec.Begin:
		if r.Args[0] != 0 {
			return c.known(spec.Section, r.Args[0])
		}
	case spec.State:
		if r.Args[1] != 0 && r.Args[2] != 0 {
			return c.known(spec.Section, r.Args[2])
		}
	case spec.TestBegin:
		if c.tests[r.Args[0]] {
			return "the test has begun before"
		}
		c.tests[r.Args[0]] = true
		return c.known(spec.Test, r.Args[0])
	case spec.TestEnd:
		if !c.tests[r.Args[0]] && !c.middle {
			return "the test has not begun"
		}
		delete(c.tests, r.Args[0])
	}
	return ""
}

// known is "" if something is defined.
func (c *checker) known(k spec.Kind, id uint64) string {
	if c.defined[name{k, id}] {
		return ""
	}
	return fmt.Sprintf("%v %d is not defined before", k, id)
}

func (c *checker) define(r *raw.Record) string {
	switch r.Kind {
	case spec.Conflict:
		for _, id := range r.Args[:2] {
			if wrong := c.known(spec.Point, id); wrong != "" {
				return wrong
			}
		}
	case spec.Point, spec.Method, spec.Section, spec.Test:
		if c.defined == nil {
			c.defined = make(map[name]bool)
		}
		c.defined[name{r.Kind, r.Args[0]}] = true
	}
	return ""
}
