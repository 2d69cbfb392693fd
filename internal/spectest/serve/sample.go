// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package serve

import (
	commute_binary "encoding/binary"
	commute_reflect "reflect"
)

// commuteAlike is a flag of a sample in the place of commuteHeld: the two objects are made of equal
// parts. If they are not, other calls than those that were tried may tell them apart.
const commuteAlike = commuteHeld

// The flags of a sample, after those of a case.
const (
	// Both calls returned when the pair's first method was called first, or the second one: then
	// the answer has the truths of the conditions.
	commuteForth = 1 << (iota + 5)
	commuteBack
)

// sample runs a case and appends what is to be learned from it: its flags, and, for either order of
// the two calls, the truths of the conditions on them. These are first those of the pair's first
// method, then those of the second one, and then whether values of the two calls differ. No formula
// is tested, so a difference that a random outcome could explain is confirmed as often as one of a
// case whose formula holds, until the method is known to be deterministic.
func (s *commuteServer) sample(c commuteCase, answer []byte) []byte {
	views := s.views(c)
	orders := [2][]*commuteCall{s.order(c, false, false, views), s.order(c, true, false, views)}
	s.ignored = [2]bool{}
	flags := s.returns(orders)
	differ := s.known(c, views, s.differ(c, views, orders))
	if len(differ) > 0 && !s.deterministic(c, views, differ) {
		differ = s.confirm(c, views, orders, differ, commuteSome)
		s.learned(c, views, differ)
	}
	if len(differ) == 0 {
		flags |= commuteCommuted
	}
	if (len(differ) == 0 || differ[len(differ)-1] < 2) && s.alike(c) {
		flags |= commuteAlike
	}
	s.notice(c, 0, orders[0][0])
	s.notice(c, 1, orders[1][1])
	var truths [2]uint64
	for i, out := range s.valued(c, orders) {
		if out[0].returned && out[1].returned {
			flags |= commuteForth << i
			truths[i] = s.truths(&s.pairs[c.pair], out[0], out[1])
		}
	}
	answer = append(answer, flags)
	answer = commute_binary.LittleEndian.AppendUint64(answer, truths[0])
	return commute_binary.LittleEndian.AppendUint64(answer, truths[1])
}

// alike reports whether the two orders leave objects of equal parts.
func (s *commuteServer) alike(c commuteCase) bool {
	s.order(c, false, false, nil)
	first := s.last
	s.order(c, true, false, nil)
	return commute_reflect.DeepEqual(first, s.last)
}

// maxNotices is how often a method is looked at that has not made a difference.
const maxNotices = 400

// notice learns whether a method does something: a call of it, which was the first after the state
// was built, changes the object, or has another outcome than in another state.
func (s *commuteServer) notice(c commuteCase, call int, outcome *commuteCall) {
	st := c.ab[call]
	n := &s.notices[st.method]
	if n.works || n.tries == maxNotices || !outcome.returned {
		return
	}
	n.tries++
	key := string(st.args)
	if first := n.first[key]; first != nil {
		n.works = !commuteSameOutcome(first, outcome, true)
	} else {
		n.first[key] = outcome
	}
	if n.works || s.methods[st.method].observer {
		return
	}
	before := s.built(c.steps)
	// Objects may differ that were made in the same way.
	n.works = commute_reflect.DeepEqual(before, s.built(c.steps)) &&
		!commute_reflect.DeepEqual(before, s.built(append(c.steps[:len(c.steps):len(c.steps)], st)))
}

// A commuteNotice is what is known of a method.
type commuteNotice struct {
	works bool
	tries int
	first map[string]*commuteCall // the first outcome, by arguments
}

// truths are those of the conditions on the two calls of a pair, a bit for each.
func (s *commuteServer) truths(p *commutePair, x, y *commuteCall) (bits uint64) {
	n := 0
	add := func(truth bool) {
		if truth {
			bits |= 1 << n
		}
		n++
	}
	for _, truth := range x.conds {
		add(truth)
	}
	for _, truth := range y.conds {
		add(truth)
	}
	for _, v := range p.values {
		add(!commuteSame(x.vals[v[0]], y.vals[v[1]]))
	}
	return bits
}

// known leaves out the outcomes that are known to be random. They could be compared by many more
// runs only, which would take most of the time.
func (s *commuteServer) known(c commuteCase, views []commuteStep, differ []int) (list []int) {
	for _, i := range differ {
		m := s.mode(c, views, i)
		if m.random {
			m.tries++
		}
		if m.tries <= commuteFew {
			list = append(list, i)
		}
	}
	return list
}

// deterministic reports whether one of the outcomes is of a method that has never been random,
// however often that was looked at.
func (s *commuteServer) deterministic(c commuteCase, views []commuteStep, differ []int) bool {
	for _, i := range differ {
		if !s.mode(c, views, i).random && s.stable[s.of(c, views, i).method] >= commuteTrusted {
			return true
		}
	}
	return false
}

// learned notes differences that were confirmed. A method counts as deterministic once there are
// enough of them, and none of its outcomes is random.
func (s *commuteServer) learned(c commuteCase, views []commuteStep, sure []int) {
	for _, i := range sure {
		method := s.of(c, views, i).method
		if s.mode(c, views, i).random {
			s.stable[method] = -1 << 30
		} else {
			s.stable[method]++
		}
	}
}
