// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package serve

// The flags of a case.
const (
	commuteHeld     = 1 << iota // the formula holds
	commuteCommuted             // nothing differs
	commuteFirst                // the pair's first method returned
	commuteSecond               // the second did
	// Both returned, in one order at least: otherwise the formula is not tested.
	commuteTested
)

const (
	// The number of runs in which an outcome has to differ before that counts. The order of a map
	// may be another one in 1 of 8 runs only.
	commuteRepeats = 200
	commuteFew     = 4  // the same, if only precision depends on it
	commuteSome    = 20 // the same, for an outcome that is known to be random
	// The number of differences, none of them random, after which a call counts as deterministic.
	commuteTrusted  = 50
	commuteMaxViews = 12 // calls of an observer after the two calls
)

// A commuteMode says how the outcomes of a call, with certain arguments, may be compared.
type commuteMode struct {
	unordered bool // lists come in random order
	random    bool // not even their contents are the same
	stable    int
	tries     int // how often samples have looked at it since it is known to be random
}

// observing lists the views of observers. If there are too many combinations of arguments, every
// n-th is taken.
func (s *commuteServer) observing() (list []commuteStep) {
	for i, m := range s.methods {
		if !m.observer {
			continue
		}
		all := 1
		for _, n := range m.views {
			all *= n
		}
		stride := (all + commuteMaxViews - 1) / commuteMaxViews
		if stride > 1 {
			stride |= 1 // so that it does not always meet the same value of the last parameter
		}
		for k := 0; k < all; k += stride {
			args, rest := make([]byte, len(m.views)), k
			for j, n := range m.views {
				args[j] = byte(rest % n)
				rest /= n
			}
			list = append(list, commuteStep{i, args})
		}
	}
	return list
}

// call makes one call, whatever the method does, and fills in c. A method that calls runtime.Goexit
// runs on a goroutine of its own.
func (s *commuteServer) call(o any, st commuteStep, shadow bool, c *commuteCall) {
	m := &s.methods[st.method]
	f := m.call
	if shadow && m.shadow != nil {
		f = m.shadow
	}
	s.calls.Add(1)
	s.at.Store(s.at.Load()>>32<<32 | int64(st.method))
	if s.traced {
		s.answer('C', []byte{byte(st.method)})
	}
	commute_visited = nil
	if s.exits[st.method] {
		end := make(chan bool)
		go func() {
			defer close(end)
			s.guard(f, o, st, c)
		}()
		<-end
	} else {
		s.guard(f, o, st, c)
	}
	c.visited = commute_visited
	if !c.returned {
		s.ended = true
		if s.ends[st.method] == "" {
			s.ends[st.method] = c.end
		}
	}
}

// guard makes a panic the outcome of a call, and notes runtime.Goexit.
func (s *commuteServer) guard(f func(any, []byte, *commuteCall), o any, st commuteStep,
	c *commuteCall) {
	defer func() {
		if c.returned {
			return
		}
		if r := recover(); r != nil {
			c.end = "panics: " + commuteText(r)
			return
		}
		c.end = "calls runtime.Goexit"
		s.exits[st.method] = true
	}()
	f(o, st.args, c)
	c.returned = true
}

// order makes an object and the two calls, the second one first if swapped, and then the views. The
// outcomes are those of the first call, the second call, and the views.
func (s *commuteServer) order(c commuteCase, swapped, shadow bool,
	views []commuteStep) []*commuteCall {
	o := s.built(c.steps)
	s.last = o
	calls := make([]commuteCall, 2+len(views)) // at once: most of the time goes into allocation
	first := 0
	if swapped {
		first = 1
	}
	s.call(o, c.ab[first], shadow, &calls[first])
	s.call(o, c.ab[1-first], shadow, &calls[1-first])
	for i, st := range views {
		calls[2+i].want = commuteNoValues
		s.call(o, st, false, &calls[2+i])
	}
	out := make([]*commuteCall, len(calls))
	for i := range calls {
		out[i] = &calls[i]
	}
	return out
}

// built is a new object, after some calls.
func (s *commuteServer) built(steps []commuteStep) any {
	s.reset()
	o := s.object()
	for _, st := range steps {
		s.scratch = commuteCall{want: commuteNothing}
		s.call(o, st, false, &s.scratch)
	}
	return o
}

// held reports whether the formula holds on the values of either order. If it holds only for calls
// whose results are not used, these results are ignored from here on.
func (s *commuteServer) held(c commuteCase, orders [2][]*commuteCall) (held bool) {
	p := &s.pairs[c.pair]
	s.ignored = [2]bool{}
	for _, out := range s.valued(c, orders) {
		if !out[0].returned || !out[1].returned {
			continue
		}
		if p.holds(out[0], out[1]) {
			s.ignored = [2]bool{}
			return true
		}
		if p.ignoring != nil && !held {
			s.ignored, held = p.ignoring(out[0], out[1])
		}
	}
	return held
}

// valued is the two orders with the values of which formulas speak, shadow results included.
func (s *commuteServer) valued(c commuteCase, orders [2][]*commuteCall) [2][]*commuteCall {
	p := &s.pairs[c.pair]
	if s.methods[p.m[0]].shadow == nil && s.methods[p.m[1]].shadow == nil {
		return orders
	}
	return [2][]*commuteCall{s.order(c, false, true, nil), s.order(c, true, true, nil)}
}

// views lists the calls that look at an object after the two calls: those of the case, and those of
// all observers. Observers come last: one that does change something would hide the differences
// from those after it.
func (s *commuteServer) views(c commuteCase) []commuteStep {
	return append(c.after[:len(c.after):len(c.after)], s.observers...)
}

// try runs a case. A difference that a random outcome could explain is confirmed. Where the formula
// doesn't hold, only precision depends on it, and a method that has been deterministic so far is
// trusted.
func (s *commuteServer) try(c commuteCase) (flags byte) {
	views := s.views(c)
	orders := [2][]*commuteCall{s.order(c, false, false, views), s.order(c, true, false, views)}
	flags = s.returns(orders)
	held := s.held(c, orders)
	if held {
		flags |= commuteHeld
	}
	differ := s.differ(c, views, orders)
	if len(differ) == 0 {
		return flags | commuteCommuted
	}
	if !held {
		for _, i := range differ {
			if m := s.mode(c, views, i); m.stable >= commuteTrusted && !m.random {
				return flags
			}
		}
	}
	repeats := commuteFew
	if held {
		repeats = commuteRepeats
	}
	if len(s.confirm(c, views, orders, differ, repeats)) == 0 {
		return flags | commuteCommuted
	}
	return flags
}

// returns are the flags that say which of the two calls returned.
func (s *commuteServer) returns(orders [2][]*commuteCall) (flags byte) {
	if orders[0][0].returned {
		flags |= commuteFirst
	}
	if orders[0][1].returned {
		flags |= commuteSecond
	}
	for _, out := range orders {
		if out[0].returned && out[1].returned {
			flags |= commuteTested
		}
	}
	return flags
}

// of is the call with outcome i of a case.
func (s *commuteServer) of(c commuteCase, views []commuteStep, i int) commuteStep {
	if i < 2 {
		return c.ab[i]
	}
	return views[i-2]
}

// mode is how outcome i of a case is compared.
func (s *commuteServer) mode(c commuteCase, views []commuteStep, i int) *commuteMode {
	st := s.of(c, views, i)
	key := string(append([]byte{byte(st.method)}, st.args...))
	m := s.modes[key]
	if m == nil {
		m = new(commuteMode)
		s.modes[key] = m
	}
	return m
}

// differ lists the outcomes that differ between the orders.
func (s *commuteServer) differ(c commuteCase, views []commuteStep,
	orders [2][]*commuteCall) (list []int) {
	for i := range orders[0] {
		x, y := orders[0][i], orders[1][i]
		if i < 2 && s.ignored[i] && x.returned && y.returned {
			continue
		}
		if !commuteSameOutcome(x, y, false) &&
			!(s.mode(c, views, i).unordered && commuteSameOutcome(x, y, true)) {
			list = append(list, i)
		}
	}
	return list
}

// A commuteDifference says what differs in a case.
type commuteDifference struct {
	Differs bool
	Outcome int              // 0, 1: of the first call, of the second; 2: of the last of Views
	Views   []map[string]any // Method, and Args: indices
	// the outcome when the first call comes first, and when the second does
	Texts [2]string
	Ends  bool // a call panics, or does not return otherwise
}

// explain says what differs in a case, by as few views as suffice.
func (s *commuteServer) explain(c commuteCase) (d commuteDifference) {
	find := func(views []commuteStep) int {
		orders := [2][]*commuteCall{s.order(c, false, false, views), s.order(c, true, false, views)}
		if differ := s.differ(c, views, orders); len(differ) > 0 {
			if sure := s.confirm(c, views, orders, differ, commuteRepeats); len(sure) > 0 {
				return sure[0]
			}
		}
		return -1
	}
	views := s.views(c)
	s.held(c, [2][]*commuteCall{s.order(c, false, false, views), s.order(c, true, false, views)})
	i := find(views)
	if i < 0 {
		return d
	}
	if d.Differs, d.Outcome = true, min(i, 2); i < 2 {
		views = nil
	} else {
		// The others matter only if they change something.
		views = views[:i-1]
		last := len(views) - 1
		shorter := [][]commuteStep{views[last:]}
		if n := len(c.after); last > n {
			shorter = append(shorter, append(views[:n:n], views[last]))
		}
		for _, v := range shorter {
			if find(v) == len(v)+1 {
				views = v
				break
			}
		}
		i = len(views) + 1
	}
	s.ended = false
	orders := [2][]*commuteCall{s.order(c, false, false, views), s.order(c, true, false, views)}
	d.Ends = s.ended
	for k, out := range orders {
		d.Texts[k] = out[i].text()
	}
	for _, st := range views {
		args := make([]int, len(st.args))
		for j, a := range st.args {
			args[j] = int(a)
		}
		d.Views = append(d.Views, map[string]any{"Method": st.method, "Args": args})
	}
	return d
}

// random lists the methods whose outcomes differ between equal objects, in more than the order of
// lists: with some arguments, and with all of which that is known. It also gives the methods that
// do something, as far as samples were asked for, and for each method the end of the first call
// that did not return. A key of modes begins with the method.
func (s *commuteServer) random() (r struct {
	Random, Always, Work []int
	Ends                 map[int]string
}) {
	r.Ends = s.ends
	for i := range s.methods {
		if s.notices[i].works {
			r.Work = append(r.Work, i)
		}
		random, other := false, false
		for key, m := range s.modes {
			if key[0] == byte(i) {
				random = random || m.random
				other = other || !m.random && (m.unordered || m.stable > 0)
			}
		}
		if random {
			r.Random = append(r.Random, i)
		}
		if random && !other {
			r.Always = append(r.Always, i)
		}
	}
	return r
}
