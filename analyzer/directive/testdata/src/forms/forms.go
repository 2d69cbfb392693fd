// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forms

import "sync"

var m sync.Map

func ok() {
	m.Load(1) //commute:ignore the value is only logged
	//commute:ignore	a tab is as good as a space
	m.Load(2)
	// commute finds races; commute: this is prose
	//commuted:faster is not ours
	//commute:atomic is another analyzer's, as are //commute:notatomic and
	//commute:Atomic
	m.Load(3)
}

func bad() {
	//commute:ignore // want "//commute:ignore needs a reason: write //commute:ignore and why"
	m.Load(1)
	//commute:ignroe why // want "unknown directive //commute:ignroe; did you mean //commute:ignore\\?"
	m.Load(2)
	// commute:ignore why // want "a directive has no space after the slashes; did you mean //commute:ignore\\?"
	m.Load(3)
	//commute: why // want "unknown directive //commute:;"
	m.Load(4)
}

//commute:concurrent // want "//commute:concurrent needs a reason"
var other sync.Map
