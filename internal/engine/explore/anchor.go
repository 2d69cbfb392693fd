// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// Policy Anchored forces decisions by where they are made: which task had the token, by its name,
// and how many points it has had. Unlike the number of a decision, that stays the same when another
// decision is no longer forced. Of the spec, each word has two hexadecimal numbers with a dot
// between: an anchor, and the name of the task that is to be chosen there.

// anchors are those of the spec.
type anchors struct {
	at   table  // by their keys: where the spec's text has what is forced there
	name uint64 // of the task that had the token last,
	done uint32 // and its points
}

// key says where a decision is made. It is not 0.
func (a *anchors) key(holder uint32) uint64 {
	k := uint64(a.done) << 1
	if holder == 0 { // it waits, or it is over
		k++
	}
	return Mix(a.name^k*0x9E3779B97F4A7C15) | 1
}

// ran notes which task has the token, in a run.
func (a *anchors) ran(t *Task, run uint32) {
	a.name, a.done = t.Name, 0
	if t.run == run {
		a.done = t.done
	}
}

// read reads the anchors of a spec's text.
func (a *anchors) read(text string) {
	a.at.clear()
	for at := 0; at < len(text); {
		word, _ := cutDash(text[at:])
		if key, _, ok := cutAnchor(word); ok {
			*a.at.find(key, true) = uint32(at)
		}
		at += len(word) + 1
	}
}

// cutAnchor splits a word of the spec.
func cutAnchor(word string) (key, name uint64, ok bool) {
	for i := range len(word) {
		if word[i] == '.' {
			key, ok1 := number(word[:i], 16)
			name, ok2 := number(word[i+1:], 16)
			return key, name, ok1 && ok2 && key != 0
		}
	}
	return 0, 0, false
}

// choose is what is forced where a decision is made. If the one that is to be chosen is no
// candidate, another one than the holder is.
func (a *anchors) choose(c *Control, holder, usual, n uint32) uint32 {
	at := a.at.find(a.key(holder), false)
	if at == nil {
		return usual
	}
	word, _ := cutDash(c.spec.text[*at:])
	_, name, _ := cutAnchor(word)
	c.forced++
	for i := range n {
		if c.tasks.at(c.candidate(holder, i)).Name == name {
			return i
		}
	}
	if holder != 0 {
		return 1
	}
	return usual
}
