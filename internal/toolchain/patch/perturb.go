// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

// A build in which schedules are perturbed is one of its own, too, where they can't be controlled.
// There goroutines are held up where a build that explores has points. It relies on nothing that
// other builds don't rely on. See the template perturb.go.

// PerturbTag is set as well where schedules are perturbed.
const PerturbTag = "commute_perturb"

// perturbRuntime are the insertions in package runtime.
var perturbRuntime = []insertion{
	{"chan.go", "", "chansend", first, "commute_holdUp()"},
	{"chan.go", "", "chanrecv", first, "commute_holdUp()"},
	{"chan.go", "", "closechan", first, "commute_holdUp()"},
	{"select.go", "", "selectgo", first, "commute_holdUp()"},
}

// PerturbRuntime changes package runtime so that schedules are perturbed.
func (p *Package) PerturbRuntime() error { return p.insertAll(perturbRuntime) }
