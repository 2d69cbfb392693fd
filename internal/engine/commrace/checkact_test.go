// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"maps"
	"math/rand"
	"slices"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
)

// A timeline is a world whose calls have places, of which some are checks and acts. Calls may
// overlap. All that happened is kept, so that what the checker says of a race can be compared with
// what it means.
type timeline struct {
	*world
	pairs map[[2]uintptr]bool // sites of checks and acts
	calls []*made
	open  map[int]*made // by thread: calls that are under way
	now   int           // counts beginnings and ends
	cur   *made         // the call that ends
	told  []told
	raced map[*made]bool // calls that came later in a race
}

// made is a call that was made.
type made struct {
	call
	id, who    int
	at         commrace.Place
	begin, end int
	after      map[int]int // what was in the map when it was done
	engine     *commrace.Call
}

// told is a race as the checker reports it.
type told struct {
	first, second, check int
	breach               commrace.Violation
	actSecond, last      bool
}

func (w *timeline) Recapture(a *commrace.Action, args unsafe.Pointer) { w.Capture(a, args) }

func (w *timeline) Capture(a *commrace.Action, _ unsafe.Pointer) {
	a.Goid, a.Owner = uint64(w.cur.who+1), uintptr(w.cur.id)
}

func (w *timeline) Race(_ *commrace.Object, r commrace.Race) {
	t := told{first: w.last(r.First, r.First.At, w.now), second: int(r.Second.Owner), check: -1,
		breach: r.Violation, actSecond: r.ActSecond, last: r.CameLast()}
	if r.Check != nil {
		act := w.cur
		if !r.ActSecond {
			t.first = int(r.First.Owner) // what was repeated since is not what the check is of
			act = w.calls[t.first]
		}
		t.check = w.last(r.Check, r.CheckAt, act.begin)
	}
	w.told = append(w.told, t)
	w.raced[w.cur] = true
}

// last is the call that an action stands for, which is kept once if it is repeated: the last at its
// place before a step.
func (w *timeline) last(a *commrace.Action, at commrace.Place, before int) int {
	first := w.calls[a.Owner]
	n := first.id
	for _, d := range w.calls[first.id:] {
		if d.who == first.who && d.method == first.method && d.values[0] == first.values[0] &&
			d.engine.Beta == first.engine.Beta &&
			d.at == at && d.end != 0 && d.end < before {
			n = d.id
		}
	}
	return n
}

func (w *timeline) Decides(_ *commrace.Table, c, a *commrace.Action) bool {
	if a == nil {
		for p := range w.pairs {
			if p[0] == c.At.Site {
				return true
			}
		}
		return false
	}
	return c.At.Frame == a.At.Frame && w.pairs[[2]uintptr{c.At.Site, a.At.Site}]
}

func (w *timeline) SameCheck(_ *commrace.Table, _, _, _ *commrace.Action) bool { return true }

// begin starts a call of thread i, which takes effect now: apply makes it on the plain map.
func (w *timeline) begin(
	i int, at commrace.Place, m map[int]int, apply func(map[int]int) call,
) *made {
	w.now++
	c := &made{call: apply(m), id: len(w.calls), who: i, at: at, begin: w.now, after: maps.Clone(m)}
	c.engine = engineCall(w.ecl, c.call)
	c.engine.SetPlace(at)
	w.calls = append(w.calls, c)
	if !isObserver(c.method) {
		begin(w.world, c.engine, w.threads[i], w)
	}
	w.open[i] = c
	return c
}

func isObserver(method string) bool { return method == "Load" || method == "Range" }

// finish ends the call of thread i that is under way, and returns what the checker reported.
func (w *timeline) finish(i int) []told {
	c := w.open[i]
	delete(w.open, i)
	w.now++
	w.told, w.cur, c.end = nil, c, w.now
	switch {
	case c.method == "Load" && w.seen != nil && w.ends:
		w.endAgain(c.engine, w.threads[i], w)
	case c.method != "Range" && w.ends:
		w.endChange(c.engine, w.threads[i], w)
	case c.method == "Load" && w.seen != nil:
		observe(w.obj, c.engine, w.threads[i], w)
	default:
		w.obj.End(c.engine, w.threads[i], w)
	}
	return w.told
}

func (w *timeline) commute(a, b *made) bool {
	return w.ecl.Commute(a.method, b.method, a.values, b.values)
}

// look is what the observation c would return of a map.
func look(c *made, m map[int]int) []any {
	v, ok := m[c.values[0].(int)]
	if !ok {
		return []any{c.values[0], nil, false}
	}
	return []any{c.values[0], v, ok}
}

// put is what a map would be after c.
func put(c *made, m map[int]int) map[int]int {
	m = maps.Clone(m)
	switch k := c.values[0].(int); c.method {
	case "Store", "Swap":
		m[k] = c.values[1].(int)
	case "Delete":
		delete(m, k)
	}
	return m
}

// disprove returns what is wrong with what the checker reported, "" if nothing is.
func (w *timeline) disprove(t told) string {
	if t.breach == commrace.NoViolation {
		return ""
	}
	act, x, c := w.calls[t.first], w.calls[t.second], w.calls[t.check]
	if t.actSecond {
		act, x = x, act
	}
	switch {
	case c.who != act.who || x.who == act.who:
		return "they are not of two threads"
	case !w.pairs[[2]uintptr{c.at.Site, act.at.Site}] || c.at.Frame != act.at.Frame:
		return "the check is none of this act"
	case c.end >= act.begin || !isObserver(c.method) || isObserver(act.method):
		return "no check comes before an act"
	}
	for _, d := range w.calls[c.id+1 : act.id] {
		if d.who == c.who && d.method == c.method && d.values[0] == c.values[0] &&
			d.end < act.begin {
			return "the check is not the last look"
		}
	}
	if t.last && act.end >= x.begin {
		return "the other's call did not come last"
	}
	switch t.breach {
	case commrace.Observed:
		if t.last {
			return "it did come last"
		}
		if c.end >= x.begin || x.end >= act.begin {
			return "it did not come in between"
		}
		if slices.Equal(look(c, x.after), look(c, w.stateBefore(x))) {
			return "it changes nothing that the check saw"
		}
	case commrace.Predicted:
		// The check is made where it was, and the other call right after.
		if x.begin <= c.end || slices.Equal(look(c, put(x, c.after)), c.values) {
			return "it would change nothing that the check saw"
		}
		if w.ecl.Spec.Also != nil &&
			maps.Equal(put(act, put(x, c.after)), put(x, put(act, c.after))) {
			return "it makes no difference whether it comes before the act or after"
		}
	case commrace.SymmetricCheck:
		if !isObserver(x.method) || x.at.Site != c.at.Site || x.values[0] != c.values[0] {
			return "it's no check at the same place"
		}
		if t.actSecond && !slices.Equal(x.values, c.values) ||
			!t.actSecond && !slices.Equal(look(x, w.stateBefore(act)), c.values) {
			return "before the act it would not have returned what the check did"
		}
	}
	return ""
}

// stateBefore is what was in the map when c was made.
func (w *timeline) stateBefore(c *made) map[int]int {
	if c.id == 0 {
		return map[int]int{}
	}
	return w.calls[c.id-1].after
}

// expected is how the race of two calls breaks a check and act, by what the words mean. It reports
// false where the checker may know less.
func (w *timeline) expected(first, second *made) (b commrace.Violation, exact bool) {
	exact = true
	for _, act := range []*made{first, second} {
		x := first
		if act == first {
			x = second
		}
		if isObserver(act.method) {
			continue
		}
		c, hidden := w.checkOf(act)
		if c == nil {
			continue
		}
		exact = exact && !hidden
		switch {
		case isObserver(x.method):
			same := slices.Equal(x.values, c.values)
			if act == first {
				same = slices.Equal(look(c, w.stateBefore(act)), c.values)
				exact = exact && !w.othersChange(c, act) && !w.raced[c] && !w.ownChange(c)
			}
			if x.at.Site == c.at.Site && x.values[0] == c.values[0] && same {
				b = max(b, commrace.SymmetricCheck)
			}
		case w.commute(c, x) || x.begin <= c.end:
		case act == second && x.end < act.begin:
			b = max(b, commrace.Observed)
		case x.method != "Delete" && x.values[1] != c.values[1]:
			b = max(b, commrace.Predicted)
		}
	}
	return b, exact
}

// checkOf is the observation that an act depends on: the last of its thread of that key, if it has
// changed nothing there since. It's hidden if another thread has looked meanwhile too, by whatever
// call, or this one by one that could have changed something.
func (w *timeline) checkOf(act *made) (c *made, hidden bool) {
	for _, d := range w.calls[:act.id] {
		switch {
		case d.who != act.who || d.values[0] != act.values[0]:
		// which a Load may come before or after
		case isObserver(d.method) || w.changes(d) && d.method != "Delete":
			c, hidden = d, false
		default:
			hidden = true
		}
	}
	if c == nil || !isObserver(c.method) || !w.pairs[[2]uintptr{c.at.Site, act.at.Site}] ||
		c.at.Frame != act.at.Frame || !w.changes(act) {
		return nil, false
	}
	for _, d := range w.calls {
		if d.who != act.who && !w.changes(d) && d.values[0] == c.values[0] && c.end < d.end &&
			d.end < act.end {
			hidden = true
		}
	}
	return c, hidden
}

// changes reports whether a call has changed the map.
func (w *timeline) changes(c *made) bool { return !maps.Equal(c.after, w.stateBefore(c)) }

// othersChange reports whether other threads made calls of the key of c that may change something,
// after it began and before act was over, or while one of the two was under way.
func (w *timeline) othersChange(c, act *made) bool {
	for _, d := range w.calls {
		if d.who != c.who && !isObserver(d.method) && d.values[0] == c.values[0] &&
			d.begin < act.end && (d.end == 0 || d.end > c.begin) {
			return true
		}
	}
	return false
}

// ownChange reports whether the thread of c has made a call of the same key before that may change
// something, and may have made it again unseen.
func (w *timeline) ownChange(c *made) bool {
	for _, d := range w.calls[:c.id] {
		if d.who == c.who && !isObserver(d.method) && d.values[0] == c.values[0] {
			return true
		}
	}
	return false
}

// keyed makes a random call of one of two keys.
func keyed(r *rand.Rand) func(m map[int]int) call {
	k, v, method := r.Intn(2), r.Intn(3), r.Intn(10)
	return func(m map[int]int) call {
		var was any
		old, ok := m[k]
		if ok {
			was = old
		}
		switch {
		case method < 5:
			return call{"Load", []any{k, was, ok}}
		case method < 8:
			m[k] = v
			return call{"Store", []any{k, v, was, ok}}
		}
		delete(m, k)
		return call{"Delete", []any{k, was, ok}}
	}
}

// site is a random place for a call: those of checks are odd, those of acts even.
func site(r *rand.Rand, check bool) uintptr {
	s := 2 + 2*r.Intn(2)
	if check {
		s++
	}
	return uintptr(s)
}
