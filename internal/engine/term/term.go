// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package term has the words of findings: the effects of races of calls, how such a race is
// classed, and the line that says what its effect means for the two calls.
//
// Input: the roles and names of two methods. Output: an effect, and a text in parts. The package is
// part of the engine, and allocates nothing; reports of recorded traces are made of the same words.
package term

// Effects of races of calls: what can go wrong.
const (
	LostUpdate     = "lost update"
	DuplicateWork  = "duplicate work"
	StaleCheck     = "stale check"
	StaleRead      = "stale read"
	OrderDependent = "order-dependent result"
	Arbitration    = "arbitration"
)

// Severity is the effects in their order, the worst first.
var Severity = [...]string{
	LostUpdate, DuplicateWork, StaleCheck, StaleRead, OrderDependent, Arbitration,
}

// Roles of methods: an observer changes nothing, a mutator changes something, and an arbiter checks
// and acts in one.
const (
	Observer = 'o'
	Mutator  = 'm'
	Arbiter  = 'a'
)

// A Method is one of two calls that race.
type Method struct {
	Name string
	Role byte
}

// Effect classes a race by what its calls are for. Keyed says that the calls meet on a key, and
// onlyResults that nothing but what they return depends on their order.
func Effect(a, b byte, keyed, onlyResults bool) string {
	if a > b {
		a, b = b, a // Arbiter < Mutator < Observer
	}
	switch {
	case onlyResults:
		return OrderDependent
	case a == Mutator && b == Mutator:
		return LostUpdate
	case a == Arbiter && b == Mutator:
		return StaleCheck
	case a == Mutator && b == Observer:
		if keyed {
			return StaleRead
		}
		return OrderDependent
	}
	return Arbitration
}

// ViolationEffect classes what comes of a check and act that another goroutine's call breaks, by
// the roles of the act and that call. Twice says that the other goroutine runs the same code, and
// that the check had found nothing: then both make what wasn't there.
func ViolationEffect(act, other byte, twice, onlyResults bool) string {
	switch {
	case twice:
		return DuplicateWork
	case act == Mutator && other == Mutator && !onlyResults:
		return LostUpdate
	}
	return StaleCheck
}

// WhyViolation says in one line what such an effect means for a check, its act, and the other
// goroutine's call. The line is the concatenation of the parts.
func WhyViolation(effect, check, act, other string) (parts [7]string) {
	switch effect {
	case DuplicateWork:
		return [7]string{"both goroutines learn from ", check,
			" that something is to be done, and both do it; what the first ", act,
			" did is done again, or lost"}
	case LostUpdate:
		return [7]string{"what the other goroutine's ", other, " changed is lost with ", act,
			", which goes by what ", check, " saw before"}
	case StaleCheck:
		return [7]string{"by the time of ", act, ", ", other, " has changed what ", check, " saw"}
	}
	return parts
}

// Evidence of a violation: whether it has happened, is predicted, or needs the same check only.
const (
	Observed  = "observed"
	Predicted = "predicted"
	Race      = "race"
)

// WhyPossible says in one line why the calls of a violation can be made in that order.
func WhyPossible(evidence, act, other string) (parts [5]string) {
	switch evidence {
	case Observed:
		return [5]string{"this has happened, in this order"}
	case Predicted:
		return [5]string{"nothing in the program forces ", other, " to come after ", act,
			", and what was done before allows this order"}
	}
	return [5]string{"nothing in the program forces the order of ", act,
		" and the other goroutine's ", other, ", which would have returned what the check did"}
}

// InThisRun is the line that says what the order of the run was, where a report shows another one.
// The goroutine that came last is behind the first part, and the other one behind the second.
var InThisRun = [2]string{"In this run: goroutine ", " came after both steps of goroutine "}

// Why says in one line what an effect means for two calls, the first of which was made first. The
// line is the concatenation of the parts.
func Why(effect string, first, second Method, onlyResults bool) (parts [5]string) {
	if onlyResults {
		return [5]string{"what ", first.Name, " returns depends on which of the calls runs first"}
	}
	change, other := first.Name, second.Name
	if first.Role != Mutator {
		change, other = second.Name, first.Name
	}
	switch effect {
	case LostUpdate:
		const lost = " runs last; the other's change is lost"
		if first.Name == second.Name {
			return [5]string{"what stays depends on which ", first.Name, lost}
		}
		return [5]string{"what stays depends on whether ", first.Name, " or ", second.Name, lost}
	case StaleCheck:
		return [5]string{other, " decides by what ", change,
			" changes; the decision may be out of date, or the change undone"}
	case StaleRead:
		return [5]string{other, " sees the value from before or after ", change,
			", depending on which runs first"}
	case OrderDependent:
		return [5]string{other, " may or may not see what ", change,
			" changes, depending on which runs first"}
	case Arbitration:
		return [5]string{"one of the calls wins and the other is told so; " +
			"harmless if the program looks at what it is told"}
	}
	return parts
}
