// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "github.com/commutego/commute/internal/engine/compiled"

var rightKinds = []kind{
	{"one lock", compiled.LostUpdate, true, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.do(func() { r.x, _ = r.lookup(r.get, 1); r.insert(r.put, 1, r.x+1) }),
			}
		}},
	{"outer lock", compiled.LostUpdate, true, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{func() bool {
				r.lock(complete, outerAddr)
				r.do(func() { r.x, _ = r.lookup(r.get, 1) })()
				r.do(func() { r.insert(r.put, 1, r.x+1) })()
				r.unlock(outerAddr)
				return true
			}}
		}},
	{"outer lock that nobody knows", compiled.LostUpdate, true, false, compiled.Lookup,
		compiled.Insert, func(r *runner) []func() bool {
			return []func() bool{func() bool {
				r.acquire(chanel)
				r.do(func() { r.x, _ = r.lookup(r.get, 1) })()
				r.do(func() { r.insert(r.put, 1, r.x+1) })()
				r.release(chanel, false)
				return true
			}}
		}},
	{"looked again", compiled.Created, false, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(r.get, 2); return !ok }),
				r.on(mutex, func() bool {
					_, ok := r.lookup(nil, 2)
					if !ok {
						r.insert(r.put, 2, r.fresh())
					}
					return true
				}),
			}
		}},
	{"looked again in a flight", compiled.Created, false, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(nil, 2); return !ok }),
				r.on(mutex, r.claim),
				r.on(mutex, func() bool {
					_, ok := r.lookup(r.get, 2)
					if ok {
						r.write(nil, 1, 0)
					}
					return !ok
				}),
				r.do(func() { r.insert(r.put, 2, r.fresh()); r.write(nil, 1, 0) }),
			}
		}},
	{"counted under the lock", compiled.LostUpdate, true, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.do(func() { r.lookup(nil, 1) }),
				r.do(func() { r.x, _ = r.lookup(r.get, 1); r.insert(r.put, 1, r.x+1) }),
			}
		}},
	{"compare and swap", compiled.LostUpdate, true, false, compiled.ReadVar, compiled.WriteVar,
		func(r *runner) []func() bool {
			return []func() bool{
				r.do(func() { r.x = r.read(r.get, 0) }),
				r.on(mutex, func() bool {
					if r.read(nil, 0) != r.x {
						return false
					}
					r.Touch(r, r.site(compiled.UpdateVar, 0), object+0x100, 0, uint64(r.x+1), 0)
					r.v[0] = r.x + 1
					return true
				}),
			}
		}},
	{"claim flag that is read last", compiled.Created, false, false, compiled.Lookup,
		compiled.Insert, func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool {
					_, ok := r.lookup(r.get, 2)
					busy := r.read(nil, 1) != 0
					if !ok && !busy {
						r.write(nil, 1, 1)
					}
					return !ok && !busy
				}),
				r.do(func() { r.insert(r.put, 2, r.fresh()); r.write(nil, 1, 0) }),
			}
		}},
	{"claimed for ever in a section between", compiled.Created, false, false, compiled.Lookup,
		compiled.Insert, func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(r.get, 2); return !ok }),
				r.on(mutex, func() bool {
					claimed := r.read(nil, 1) != 0
					r.write(nil, 1, 1)
					return !claimed
				}),
				r.do(func() { r.insert(r.put, 2, r.fresh()) }),
			}
		}},
	{"a lock for each key", compiled.LostUpdate, true, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			key := 1 + r.n%2
			own := mutex + 0x400 + uintptr(key)*64
			return []func() bool{func() bool {
				r.lock(complete, own)
				r.do(func() { r.x, _ = r.lookup(r.get, key) })()
				r.do(func() { r.insert(r.put, key, r.x+1) })()
				r.unlock(own)
				return true
			}}
		}},
	{"generation compared", compiled.Created, false, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool {
					r.y = r.read(nil, 1)
					_, ok := r.lookup(r.get, 2)
					return !ok
				}),
				r.on(mutex, func() bool {
					if r.read(nil, 1) != r.y {
						return false
					}
					r.insert(r.put, 2, r.fresh())
					r.write(nil, 1, r.y+1)
					return true
				}),
			}
		}},
	// The goroutines take turns: each waits for what the one before has sent, or begins.
	{"handed on by a channel", compiled.LostUpdate, true, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{func() bool {
				r.acquire(chanel)
				r.do(func() { r.x, _ = r.lookup(r.get, 1) })()
				r.do(func() { r.insert(r.put, 1, r.x+1) })()
				r.release(chanel, true)
				return true
			}}
		}},
	{"told in the section of the act", compiled.LostUpdate, true, false, compiled.Lookup,
		compiled.Insert, func(r *runner) []func() bool {
			return []func() bool{func() bool {
				r.acquire(chanel)
				r.do(func() { r.x, _ = r.lookup(r.get, 1) })()
				r.do(func() { r.insert(r.put, 1, r.x+1); r.release(chanel, true) })()
				return true
			}}
		}},
	{"an equal value", compiled.Computed, false, false, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.do(func() { r.lookup(r.get, 1) }),
				r.do(func() { r.insert(r.put, 1, 7) }),
			}
		}},
	// What is stored is made of the key alone, so it doesn't matter who stores it.
	{"a fill", compiled.Computed, false, true, compiled.Lookup, compiled.Insert,
		func(r *runner) []func() bool {
			return []func() bool{
				r.on(mutex, func() bool { _, ok := r.lookup(r.get, 2); return !ok }),
				r.do(func() { r.insert(r.put, 2, 44) }),
			}
		}},
}
