// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package term

import "github.com/commutego/commute/internal/engine/compiled"

// SectionEffect is what can go wrong with a check and an act of a shape, which are in two critical
// sections.
func SectionEffect(s compiled.Shape) string {
	switch s {
	case compiled.LostUpdate:
		return LostUpdate
	case compiled.DeletedAfter, compiled.EntryGone, compiled.Exceeded, compiled.Registered:
		return StaleCheck
	case compiled.TornPair, compiled.HalfSeen:
		return StaleRead
	}
	return DuplicateWork
}

// WhySection says in one line what that means. Both says that the other goroutine runs the same
// code, and not just any that writes.
func WhySection(s compiled.Shape, both bool) string {
	switch s {
	case compiled.LostUpdate:
		if both {
			return "both start from the same value, and one of the two changes is lost"
		}
		return "the act goes by what the check saw, and the change in between is lost"
	case compiled.DeletedAfter:
		return "the act removes or replaces what another goroutine has begun to use"
	case compiled.Created:
		return "both find nothing and make it; one of the two is lost, though its maker goes on " +
			"with it"
	case compiled.Exceeded:
		return "both find that the limit allows it, and both act, which exceeds the limit"
	case compiled.FlagSet:
		return "both find it not done yet, and both do it"
	case compiled.Registered:
		return "both find it absent and set it, and both are told that they were the first"
	case compiled.TornPair:
		return "one of the two values is old and the other new, and they do not belong together"
	case compiled.HalfSeen:
		return "the other goroutine takes for set what is still nil, and uses it"
	case compiled.EntryGone:
		return "the entry is removed though another goroutine has just found it and goes on with it"
	}
	return "both find nothing and compute it, which is work done twice"
}

// MendSection says how to mend it, by operations of the kind of the act's. From where to where, in
// the function that checks and acts, stands between the two texts.
func MendSection(s compiled.Shape, k compiled.AtomicKind) (before, after string) {
	if k != compiled.NotAtomic {
		return mendAtomic(s)
	}
	switch s {
	case compiled.LostUpdate:
		return "hold the lock ", ", or look again before the act and give up if it has changed"
	case compiled.Created:
		return "look again under the lock right before the act, and use what is there; or hold " +
			"the lock ", ""
	case compiled.DeletedAfter:
		return "look again in the section that acts, or hold the lock ", ""
	case compiled.Exceeded:
		return "check the limit in the section that acts, or hold the lock ", ""
	case compiled.FlagSet:
		return "set the flag in the section that looks at it, or hold the lock ", ""
	case compiled.Registered:
		return "look again under the lock right before the act, and give up if it is there; or " +
			"hold the lock ", ""
	case compiled.HalfSeen:
		return "set both in one section, what is used first; or hold the lock ", ""
	case compiled.EntryGone:
		return "look at the entry again in the section that removes it, or hold the lock ", ""
	}
	return "hold the lock ", ""
}

// WhyTwin says why two goroutines can both check before either acts.
const WhyTwin = "nothing in the program forces the order of the act and the other goroutine's " +
	"check, which would have seen what the first check did"

// SectionNoun names what a touch does, and SectionVerb says it.
func SectionNoun(op compiled.TouchOp) string {
	switch op {
	case compiled.WriteVar, compiled.Insert:
		return "write"
	case compiled.UpdateVar, compiled.Update, compiled.WriteInner:
		return "change"
	case compiled.Delete:
		return "delete"
	case compiled.WriteAll:
		return "clear"
	}
	return "read"
}

func SectionVerb(op compiled.TouchOp) string {
	switch op {
	case compiled.WriteVar, compiled.Insert:
		return "sets"
	case compiled.Delete:
		return "deletes"
	case compiled.WriteAll:
		return "clears"
	}
	return "changes"
}

// Keyed reports whether a touch is of a key of a map.
func Keyed(op compiled.TouchOp) bool {
	switch op {
	case compiled.Lookup, compiled.Insert, compiled.Update, compiled.Delete:
		return true
	}
	return false
}

// mendAtomic is MendSection for operations of sync/atomic.
func mendAtomic(s compiled.Shape) (before, after string) {
	switch s {
	case compiled.LostUpdate:
		return "use CompareAndSwap in place of the store, and look again if it fails; or hold a " +
			"lock ", ""
	case compiled.Created:
		return "use CompareAndSwap in place of the store, and close what was made if it fails; " +
			"or hold a lock ", ""
	case compiled.Exceeded:
		return "add first, and take it back if that was too much; or hold a lock ", ""
	case compiled.FlagSet:
		return "set the flag by CompareAndSwap before what is done, and go on only if that " +
			"succeeds; or hold a lock ", ""
	}
	return "use CompareAndSwap in place of the store, and give up if it fails; or hold a lock ", ""
}
