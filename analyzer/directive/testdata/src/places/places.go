// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package places

import "sync"

var m sync.Map //commute:concurrent readers poll

// Both are meant.
//
//commute:concurrent last write wins
var a, b sync.Map

//commute:concurrent all of them
var (
	c sync.Map
	d = new(sync.Map)
)

type Server struct {
	//commute:concurrent one field
	cache sync.Map
	inner struct {
		m *sync.Map //commute:concurrent a field of an anonymous struct
	}
	sync.Map //commute:concurrent embedded
}

func (s *Server) locals() {
	var x sync.Map //commute:concurrent local
	//commute:concurrent local, too
	y := new(sync.Map)
	x.Load(1)
	y.
		//commute:ignore the call is on the next line
		Load(1)
	func() {
		z := new(sync.Map) //commute:concurrent in a literal
		z.Load(1)
	}()
	_ = y
	//commute:ignore the comment goes on
	// for another line
	x.Load(2)
}

//commute:concurrent there is no variable here // want "//commute:concurrent belongs to no declaration of a variable or a field"
func f() {
	//commute:ignore there is a line between // want "//commute:ignore belongs to no call: put it on the line of one, or on the line above"

	m.Load(1)
	x := 1 //commute:ignore no call // want "belongs to no call"
	x++    //commute:concurrent no declaration // want "belongs to no declaration"
}
