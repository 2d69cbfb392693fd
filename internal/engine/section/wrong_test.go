// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "github.com/commutego/commute/internal/engine/compiled"

var wrongKinds = []kind{
	{"value of a key", compiled.LostUpdate, true, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.do(func() { r.x, _ = r.lookup(r.get, 1) }),
				r.do(func() { r.insert(r.put, 1, r.x+1) }),
			}
		}},
	{"value of a variable", compiled.LostUpdate, true, false, compiled.ReadVar, compiled.WriteVar,
		func(r *runner) []func() bool {
			return []func() bool{
				r.do(func() { r.x = r.read(r.get, 0) }),
				r.do(func() { r.write(r.put, 0, r.x+1) }),
			}
		}},
	{"created twice", compiled.Created, false, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(r.get, 2); return !ok }),
				r.do(func() { r.insert(r.put, 2, r.fresh()) }),
			}
		}},
	{"registered twice, with equal values", compiled.Registered, false, false, compiled.Lookup,
		compiled.Insert, func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(r.get, 2); return !ok }),
				r.do(func() { r.insert(r.put, 2, 7) }),
			}
		}},
	{"deleted after", compiled.DeletedAfter, false, false, compiled.Lookup, compiled.Delete,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(r.get, 1); return ok }),
				r.do(func() { r.remove(r.put, 1) }),
			}
		}},
	{"limit exceeded", compiled.Exceeded, false, false, compiled.Len, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { return r.length(r.get) < 2 }),
				r.do(func() { r.insert(r.put, 10+r.n, 1) }),
			}
		}},
	{"flag", compiled.FlagSet, false, false, compiled.ReadVar, compiled.WriteVar,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { return r.read(r.get, 0) == 0 }),
				r.do(func() { r.write(r.put, 0, 1) }),
			}
		}},
	// The check's section writes the value, too, and what it wrote is stored later.
	{"written back", compiled.LostUpdate, true, false, compiled.ReadVar, compiled.WriteVar,
		func(r *runner) []func() bool {
			return []func() bool{
				r.do(func() { r.x = r.read(r.get, 0) + 1; r.write(nil, 0, r.x) }),
				r.do(func() { r.write(r.put, 0, r.x+10) }),
			}
		}},
	{"generation not compared", compiled.Created, false, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool {
					r.y = r.read(nil, 1)
					_, ok := r.lookup(r.get, 2)
					return !ok
				}),
				r.do(func() { r.insert(r.put, 2, r.fresh()); r.write(nil, 1, r.y+1) }),
			}
		}},
	// One at a time creates it, and nobody looks whether it is there by then.
	{"not looked again in a flight", compiled.Created, false, false, compiled.Lookup,
		compiled.Insert, func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(r.get, 2); return !ok }),
				r.on(mutex, r.claim),
				r.do(func() { r.insert(r.put, 2, r.fresh()); r.write(nil, 1, 0) }),
			}
		}},
	{"with an effect besides", compiled.Created, false, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(r.get, 2); return !ok }),
				r.do(func() {
					r.insert(r.put, 2, 5)
					r.v[2]++
					r.Touch(r, r.site(compiled.UpdateVar, 2), object+0x110, 0, uint64(r.v[2]), 0)
				}),
			}
		}},
	{"container", compiled.Created, false, false, compiled.ReadInner, compiled.WriteInner,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool {
					r.Touch(r, r.get, object, 0, uint64(r.v[0]), 0)
					return r.v[0] == 0
				}),
				r.do(func() { r.v[0] = 1; r.Touch(r, r.put, object, 0, Unknown, 0) }),
			}
		}},
	{"a lock of its own for each goroutine", compiled.LostUpdate, true, false, compiled.Lookup,
		compiled.Insert, func(r *runner) []func() bool {
			own := mutex + 0x400 + uintptr(r.n)*64
			return []func() bool{
				func() bool { r.lock(complete, own); return true },
				r.do(func() { r.x, _ = r.lookup(r.get, 1) }),
				r.do(func() { r.insert(r.put, 1, r.x+1) }),
				func() bool { r.unlock(own); return true },
			}
		}},
}
