// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package instrument writes the code that reports calls of specified methods.
//
// Input: the parsed files of one package and the compiled tables (package ecl) of its specified
// types. Output: edits that rename each specified method (Store becomes commute_Store, its body
// untouched), and one added file. In that each has a wrapper of the old name, receiver, signature
// and doc.
//
// # Terms
//
//	original       the method as it is written
//	wrapper        the method in its place, which announces the call and calls the original
//	call record    commute_Call, in the wrapper's frame: object, method, keys, values, state
//	key            an argument or result by which calls conflict; the engine gets its hash
//	beta           the bits of the conditions of a specification: which hold of this call
//	shadow result  a value that the specification asks for and the method doesn't return
//	callback       a parameter of type function, which the method calls
//
// # What a wrapper does
//
// The wrapper brackets the original with commute_begin and a deferred commute_end. It hands over
// keys, arguments, results and beta, which are computed in Go code. At run time no formula is
// interpreted (section 6.2 of the paper, eta of an action). A callback is wrapped, too: the
// program's code runs outside of the call.
//
// The wrapper of a method of sync.Map, where beta is the condition that a specification names:
//
//	func (m *Map) LoadOrStore(key any, value any) (actual any, loaded bool) {
//		var commute_c commute_Call
//		commute_c.spec = &commuteSpec_Map
//		commute_c.obj = commute_unsafe.Pointer(m)
//		commute_c.method = 6
//		commute_c.keys[0] = commute_hash(key)
//		commute_begin(&commute_c)
//		defer commute_end(&commute_c)
//		actual, loaded = m.commute_LoadOrStore(key, value)
//		var commute_args [4]interface{}
//		commute_args[0] = key // and so on
//		commute_c.args = commute_unsafe.Pointer(&commute_args)
//		commute_c.nargs = 4
//		if loaded {
//			commute_c.beta = 1
//		}
//		commute_c.state = 1 // it has returned; in a panic the deferred end sees 0
//		return
//	}
//
// A shadow result comes from the expression that the specification gives. In it, a call of one of
// the type's methods by its bare name is a call on the receiver, of the original.
//
// Where calls choose for themselves (Package.KeepNames), nothing is renamed, and the wrapper of
// Store is called Commute_Store. A method that calls recover, or counts stack frames, sees one more
// frame.
package instrument
