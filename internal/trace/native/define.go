// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// Keys and values of [event.Meta] records.
const (
	metaAddresses = "addresses" // "true": variables, locks and objects are named by address
	metaQuiet     = "quiet"     // "true": only synchronization at a position makes conflicts
	metaMutexes   = "mutexes"   // "true": see trace.Tables
	metaPositions = "positions" // "numbers": they are no more than that
	metaCalls     = "calls"     // "true": there is what package replay needs, beside touches
	metaLocks     = "locks"     // "all": what package spec has under Locks is told
	metaCallbacks = "callbacks" // "true": each beginning and end of a callback is told
	metaSections  = "sections"  // "true": likewise, under Critical sections
	metaObjects   = "objects"   // "true": likewise, under Objects
	// "true": the positions of steps have the flags of events, see spec.FlagShift
	metaFlags = "flags"
)

// definitions are those that are not in tables.
type definitions struct {
	points    uint32
	related   int // of points and conflicts, how many the relation has
	conflicts [][2]uint32
	types     []string // of the points
	named     uint64

	goroutines uint64 // definitions of goroutines
}

// maxPositions is the greatest number of positions, as there may be flags beside them.
const maxPositions = 1 << spec.FlagShift

// maxPoints is the greatest number of access points, of all types together.
const maxPoints = 1 << 20

// relate brings the relation of the points up to date. Others may be reading the relation that the
// tables have, so the tables get a new one.
func (d *definitions) relate(t *trace.Tables) error {
	known := int(d.points) + len(d.conflicts)
	if known == d.related && t.Relation != nil {
		return nil
	}
	relation, err := event.NewRelation(d.points, d.conflicts...)
	if err == nil {
		t.Relation, d.related = relation, known
	}
	return err
}

// define takes a chunk of definitions.
func (r *Reader) define(c *raw.Chunk) error {
	cursor := c.Records()
	var rec raw.Record
	r.tables.Program.Lock()
	defer r.tables.Program.Unlock()
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
	t, p, id := r.tables, r.tables.Program, rec.Args[0]
	switch rec.Kind {
	case event.Meta:
		r.meta(rec.Texts[0], rec.Texts[1])
	case event.Goroutine:
		r.defs.goroutines++
		n, err := r.threadNumber(id)
		if err != nil {
			return err
		}
		if name := rec.Texts[4]; name != "" {
			t.Threads.Set(n, name)
		}
		t.Threads.Grow(n)
		return r.origin(n, rec.Args[1], rec.Args[2], rec.Args[3])
	case event.VarName:
		return r.name(t.Vars, spec.Variable, id, rec.Texts[1])
	case event.LockName:
		return r.name(t.Locks, spec.Lock, id, rec.Texts[1])
	case event.ObjName:
		p.SetObject(id, rec.Texts[1], rec.Texts[2])
	case event.Point:
		if id >= maxPoints {
			return r.fail("defines access point %d, and there may be %d", id, maxPoints)
		}
		r.defs.points = max(r.defs.points, uint32(id)+1)
		t.Points.Set(uint32(id), rec.Texts[2])
		for uint64(len(r.defs.types)) <= id {
			r.defs.types = append(r.defs.types, "")
		}
		r.defs.types[id] = rec.Texts[1]
		p.SetPoint(uint32(id), rec.Texts[1], rec.Texts[2])
	case event.Conflict:
		p, q := rec.Args[0], rec.Args[1]
		if max(p, q) >= uint64(r.defs.points) {
			return r.fail("says before it defines them that points %d and %d conflict", p, q)
		}
		r.defs.conflicts = append(r.defs.conflicts, [2]uint32{uint32(p), uint32(q)})
	case event.Position:
		text := fmt.Sprintf("%s:%d", filepath.Base(rec.Texts[5]), rec.Args[3])
		if f := rec.Texts[4]; f != "" {
			text = f + " (" + text + ")"
		}
		if err := r.place(id, text); err != nil {
			return err
		}
		p.SetFrame(uint32(id), uint32(rec.Args[2]), uint32(rec.Args[3]), rec.Texts[4], rec.Texts[5])
		p.SetPC(uint32(id), rec.Args[1])
	case event.Watched:
		if id >= maxPositions {
			return r.fail("has position %d, and there may be %d", id, maxPositions)
		}
		for uint64(len(r.watched)) <= id/64 {
			r.watched = append(r.watched, 0)
		}
		r.watched[id/64] |= 1 << (id % 64)
	case event.Place:
		if rec.Texts[1] == spec.Inside {
			r.inside = uint32(id)
		}
		return r.place(id, rec.Texts[1])
	case event.TouchSite, event.LockSite, event.Pair:
		return r.defineSection(rec)
	default:
		return r.describe(rec)
	}
	return nil
}

// maxDescribed is the greatest number of tests, sections and methods. (Goroutines and positions
// have limits of their own.)
const maxDescribed = 1 << 20

// described reports whether the numbers of such a definition are small enough.
func (r *Reader) described(rec *raw.Record) error {
	first, second := rec.Args[0], rec.Args[1]
	switch rec.Kind {
	case event.Key:
		return nil
	case event.Member:
		_, err := r.threadNumber(first)
		if first = 0; err != nil {
			return err
		}
	case event.CallSite, event.Act:
		if first >= maxPositions {
			return r.fail("has position %d, and there may be %d", first, maxPositions)
		}
		first = 0
	}
	if n := max(first, second); n >= maxDescribed {
		return r.fail("has a %v with number %d, and there may be %d", rec.Kind.Name(), n,
			maxDescribed)
	}
	return nil
}

// describe takes a definition that is only for reports.
func (r *Reader) describe(rec *raw.Record) error {
	p, id := r.tables.Program, rec.Args[0]
	if err := r.described(rec); err != nil {
		return err
	}
	n, m := uint32(id), uint32(rec.Args[1])
	switch rec.Kind {
	case event.Method:
		p.SetMethod(n, rec.Texts[1], rec.Texts[2])
	case event.Section:
		p.SetSection(n, rec.Texts[1])
	case event.Independent:
		p.SetIndependent(n)
	case event.Test:
		p.SetTest(n, rec.Texts[1])
	case event.Role:
		p.SetRole(n, rec.Texts[1])
	case event.Formula:
		p.SetFormula(n, m,
			trace.Formula{Text: rec.Texts[3], At: rec.Texts[4], Results: rec.Args[2] != 0})
	case event.CallSite:
		p.SetSite(n, m,
			trace.Site{Flags: uint32(rec.Args[2]), Kind: rec.Texts[3], Name: rec.Texts[4],
				At: rec.Texts[5]})
	case event.Key:
		p.SetKey(id, rec.Texts[1])
	case event.Member:
		p.SetMember(n, m)
	default:
		return r.specify(rec)
	}
	return nil
}

// specify takes a definition of a compiled specification.
func (r *Reader) specify(rec *raw.Record) error {
	p, n, m := r.tables.Program, uint32(rec.Args[0]), uint32(rec.Args[1])
	switch rec.Kind {
	case event.Specified:
		if max(rec.Args[2], rec.Args[3]) > 64 {
			return r.fail("defines a type with %d points and %d methods, and there may be 64",
				rec.Args[2], rec.Args[3])
		}
		p.SetSpecified(rec.Texts[5], n, m, uint32(rec.Args[2]), uint32(rec.Args[3]), rec.Args[4])
	case event.Shape:
		p.SetShape(n, rec.Args[1], rec.Args[2], rec.Texts[3], rec.Texts[4])
	case event.Cases:
		p.SetCases(n, m, rec.Texts[2])
	case event.Exception:
		p.SetException(n, m, rec.Texts[2])
	case event.Act:
		act := trace.Act{Line: uint32(rec.Args[2]), File: rec.Texts[3], Method: rec.Texts[4]}
		p.SetAct(n, m, act)
	}
	return nil
}

// origin takes note of who a goroutine is; the lock is held.
func (r *Reader) origin(thread uint32, goid, parent, pos uint64) error {
	by, err := r.threadNumber(parent)
	if err == nil {
		r.tables.Program.SetGoroutine(thread, goid, by, uint32(pos))
	}
	return err
}

func (r *Reader) meta(key, value string) {
	switch key {
	case metaAddresses:
		r.sparse = value == "true"
		r.tables.Program.Flagged = r.sparse
		r.by[spec.Lock].next = allLock + 1
	case metaQuiet:
		r.quiet = value == "true"
		r.by[spec.Lock].next = allLock + 1
	case metaFlags:
		if value == "true" {
			r.tables.Program.Flagged = true
			r.flags, r.posMask = event.Only|event.Silent, maxPositions-1
		}
	case metaCalls:
		r.tables.Program.Calls = value == "true" && !r.chunks.Ring() // there beginnings may be lost
	case metaCallbacks:
		r.tables.Program.Callbacks = value == "true"
	case metaLocks:
		r.tables.Program.Locks = value == "all" && !r.chunks.Ring()
	case metaSections:
		r.tables.Program.Sections = value == "true" && !r.chunks.Ring()
	case metaObjects:
		r.tables.Program.Objects = value == "true" && !r.chunks.Ring()
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
	if r.sparse && t == spec.Variable {
		if r.bytes.names == nil {
			r.bytes.names = make(map[uint64]string)
		}
		r.bytes.names[id] = name
		return nil
	}
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
