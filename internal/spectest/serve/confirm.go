// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package serve

import commute_time "time"

// confirm repeats a case, and returns the outcomes for which no value occurs in both orders. It is
// repeated more often if all of them are random.
func (s *commuteServer) confirm(c commuteCase, views []commuteStep, orders [2][]*commuteCall,
	differ []int, repeats int) (sure []int) {
	seen := make([]*commuteSeen, len(differ))
	for j, i := range differ {
		seen[j] = &commuteSeen{index: i, mode: s.mode(c, views, i)}
		seen[j].add(orders)
	}
	// An outcome is left out as soon as one order gives a value that the other has given. Few runs
	// suffice if only precision depends on it, or if all outcomes that are left are random.
	start, random := commute_time.Now(), false
	for n := 0; len(seen) > 0 && n < commuteRepeats &&
		(n < repeats || random && n < commuteSome); n++ {
		if n >= commuteFew && commute_time.Since(start) > s.patience {
			break
		}
		orders := [2][]*commuteCall{s.order(c, false, false, views), s.order(c, true, false, views)}
		still := seen[:0]
		random = true
		for _, o := range seen {
			if o.add(orders); !o.common {
				still = append(still, o)
				random = random && o.mode.random
			}
		}
		seen = still
	}
	for _, o := range seen {
		if o.mode.random && len(o.distinct[0]) == o.runs && len(o.distinct[1]) == o.runs {
			continue // every call gives something new: nothing can be said of it
		}
		if !o.mode.random {
			o.mode.stable++
		}
		sure = append(sure, o.index)
	}
	return sure
}

// commuteSeen has the values of one outcome in the two orders.
type commuteSeen struct {
	index    int
	mode     *commuteMode
	distinct [2][]*commuteCall
	runs     int
	common   bool // an outcome of one order is one of the other
}

// add notes the values of a run, and learns how outcomes of the call can be compared.
func (o *commuteSeen) add(orders [2][]*commuteCall) {
	o.runs++
	has := func(list []*commuteCall, c *commuteCall, unordered bool) bool {
		for _, have := range list {
			if commuteSameOutcome(have, c, unordered) {
				return true
			}
		}
		return false
	}
	for k, out := range orders {
		c := out[o.index]
		if has(o.distinct[k], c, false) {
			continue
		}
		if len(o.distinct[k]) > 0 {
			if has(o.distinct[k], c, true) {
				o.mode.unordered = true
			} else {
				o.mode.random = true
			}
		}
		o.distinct[k] = append(o.distinct[k], c)
	}
	for _, c := range o.distinct[0] {
		o.common = o.common || has(o.distinct[1], c, o.mode.unordered)
	}
}
