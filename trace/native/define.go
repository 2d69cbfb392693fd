// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/commutego/commute/check/event"
	"github.com/commutego/commute/trace"
	"github.com/commutego/commute/trace/raw"
	"github.com/commutego/commute/trace/spec"
)

// Keys and values of [spec.Meta] records.
const (
	metaAddresses = "addresses" // "true": variables, locks and objects are named by address
	metaQuiet     = "quiet"     // "true": synchronization without a position orders, and is no conflict
	metaMutexes   = "mutexes"   // "true": see trace.Tables
	metaPositions = "positions" // "numbers": they are no more than that
)

// definitions are those that are not in tables.
type definitions struct {
	points    uint32
	related   int // of points and conflicts, how many the relation has
	conflicts [][2]uint32
	objects   map[uint64]string
	types     []string // of the points
	named     uint64
}

// maxPositions is the greatest number of positions, as greater ones are flags of package trace.
const maxPositions = trace.Only

// maxPoints is the greatest number of access points, of all types together.
const maxPoints = 1 << 16

// relate brings the relation of the points up to date.
func (d *definitions) relate(t *trace.Tables) error {
	if t.Relation == nil {
		t.Relation = new(event.Relation)
	}
	if known := int(d.points) + len(d.conflicts); known == d.related {
		return nil
	} else {
		d.related = known
	}
	return t.Relation.Extend(d.points, d.conflicts...)
}

// define takes a chunk of definitions.
func (r *Reader) define(c *raw.Chunk) error {
	cursor := c.Records()
	var rec raw.Record
	for {
		err := cursor.Next(&rec)
		if err == io.EOF {
			return r.defs.relate(r.tables)
		}
		if err == nil {
			err = r.defineOne(&rec)
		}
		if err != nil {
			return err
		}
	}
}

func (r *Reader) defineOne(rec *raw.Record) error {
	t, id := r.tables, rec.Args[0]
	switch rec.Kind {
	case spec.Meta:
		r.meta(rec.Texts[0], rec.Texts[1])
	case spec.Goroutine:
		n, err := r.threadNumber(id)
		if err != nil {
			return err
		}
		if name := rec.Texts[4]; name != "" {
			t.Threads.Set(n, name)
		}
	case spec.VarName:
		return r.name(t.Vars, spec.Variable, id, rec.Texts[1])
	case spec.LockName:
		return r.name(t.Locks, spec.Lock, id, rec.Texts[1])
	case spec.ObjName:
		if r.defs.objects == nil {
			r.defs.objects = make(map[uint64]string)
		}
		r.defs.objects[id] = rec.Texts[2]
	case spec.Point:
		if id >= maxPoints {
			return r.fail("defines access point %d, and there may be %d", id, maxPoints)
		}
		r.defs.points = max(r.defs.points, uint32(id)+1)
		t.Points.Set(uint32(id), rec.Texts[2])
		for uint64(len(r.defs.types)) <= id {
			r.defs.types = append(r.defs.types, "")
		}
		r.defs.types[id] = rec.Texts[1]
	case spec.Conflict:
		p, q := rec.Args[0], rec.Args[1]
		if max(p, q) >= uint64(r.defs.points) {
			return r.fail("says before it defines them that points %d and %d conflict", p, q)
		}
		r.defs.conflicts = append(r.defs.conflicts, [2]uint32{uint32(p), uint32(q)})
	case spec.Position:
		text := fmt.Sprintf("%s:%d", filepath.Base(rec.Texts[5]), rec.Args[3])
		if f := rec.Texts[4]; f != "" {
			text = f + " (" + text + ")"
		}
		return r.place(id, text)
	case spec.Watched:
		if id >= maxPositions {
			return r.fail("has position %d, and there may be %d", id, maxPositions)
		}
		for uint64(len(r.watched)) <= id/64 {
			r.watched = append(r.watched, 0)
		}
		r.watched[id/64] |= 1 << (id % 64)
	case spec.Place:
		return r.place(id, rec.Texts[1])
	}
	return nil
}

func (r *Reader) meta(key, value string) {
	switch key {
	case metaAddresses:
		r.sparse = value == "true"
	case metaQuiet:
		r.quiet = value == "true"
		r.by[spec.Lock].next = allLock + 1
	case metaMutexes:
		r.tables.Mutexes = value == "true"
	case metaPositions:
		if value == "numbers" {
			r.tables.Places = nil
		}
	}
}

// name names a variable or a lock.
func (r *Reader) name(names *trace.Names, t spec.Type, id uint64, name string) error {
	r.defs.named++
	r.limit = max(r.limit, minLimit+16*(r.steps+r.defs.named))
	v, err := r.number(t, id)
	if err == nil {
		names.Set(uint32(v), name)
	}
	return err
}

// place names a position.
func (r *Reader) place(id uint64, name string) error {
	r.defs.named++
	if id >= minLimit+16*(r.steps+r.defs.named) || id >= 1<<32 {
		return r.fail("defines position %d; numbers must be dense", id)
	}
	if r.tables.Places != nil {
		r.tables.Places.Set(uint32(id), name)
	}
	return nil
}
