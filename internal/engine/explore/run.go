// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// A Spec says how a run goes.
type Spec struct {
	Policy Policy
	Seed   uint64
	state  uint64

	// What is forced is read from the text as the run goes on. So there may be any number.
	text  string
	told  string // what comes from outside,
	tells bool   // if that is told
	at    int    // where the one after next begins
	next  Force  // of the text; its Decision is 0 if there is none
}

// A Force is a decision, counted from 1, and the index of the candidate that it has to choose.
type Force struct{ Decision, Choice uint32 }

// forces is what is forced at a decision. Decisions are asked for in order.
func (s *Spec) forces(decision uint32) (choice uint32, ok bool) {
	for s.next.Decision != 0 && s.next.Decision < decision {
		s.advance()
	}
	return s.next.Choice, s.next.Decision == decision
}

// choose is what the spec says of a decision of n candidates, which otherwise is as usual.
func (s *Spec) choose(c *Control, usual, n uint32) uint32 {
	i, ok := s.forces(c.decided)
	if !ok {
		return usual
	}
	c.prefix = c.hash
	c.forced++
	return min(i, n-1)
}

// advance reads what is forced next. It reports whether there was text for it, of the right form
// and of a later decision.
func (s *Spec) advance() bool {
	word, _ := cutDash(s.text[s.at:])
	s.at = min(len(s.text), s.at+len(word)+1)
	last := s.next
	s.next = Force{}
	for i := range len(word) {
		if word[i] == '.' {
			d, ok1 := number(word[:i], 10)
			choice, ok2 := number(word[i+1:], 10)
			if !ok1 || !ok2 || d <= uint64(last.Decision) || d >= 1<<31 || choice >= 1<<31 {
				return false
			}
			s.next = Force{uint32(d), uint32(choice)}
			return true
		}
	}
	return false
}

// ParseSpec reads a spec: a policy, a dash and the seed as a hexadecimal number. Of policy Forced,
// decisions follow in order, each as a dash, the decision, a dot and the choice. Of policy
// [Anchored], places of decisions do. After an @, the word may tell what comes from outside. The
// spec keeps the word.
func ParseSpec(word string) (s Spec, ok bool) {
	all := word
	word, s.told = text.Cut(word, '@')
	s.tells = len(word) < len(all)
	name, rest := cutDash(word)
	if s.Policy, ok = PolicyOf(name); !ok {
		return s, false
	}
	seed, rest := cutDash(rest)
	if s.Seed, ok = number(seed, 16); !ok {
		return s, false
	}
	if rest == "" {
		return s, true
	}
	s.text = rest
	switch s.Policy {
	case Anchored:
		for rest != "" && ok {
			word, after := cutDash(rest)
			_, _, ok = cutAnchor(word)
			rest = after
		}
		return s, ok
	case Forced, Pair:
	default:
		return s, false
	}
	for all := s; all.at < len(all.text); {
		if !all.advance() {
			return s, false
		}
	}
	ok = s.advance()
	return s, ok && (s.Policy == Forced || s.at == len(s.text))
}

// over reports whether nothing is forced from a decision on.
func (s *Spec) over(decision uint32) bool {
	_, ok := s.forces(decision)
	return !ok && s.next.Decision == 0
}

// cutDash cuts a text at its first dash.
func cutDash(s string) (before, after string) {
	for i := range len(s) {
		if s[i] == '-' {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

func number(s string, base uint64) (n uint64, ok bool) {
	for i := range len(s) {
		d := uint64(99)
		switch ch := s[i]; {
		case '0' <= ch && ch <= '9':
			d = uint64(ch - '0')
		case 'a' <= ch && ch <= 'f':
			d = uint64(ch-'a') + 10
		}
		if d >= base || n > (1<<63)/8 {
			return 0, false
		}
		n = n*base + d
	}
	return n, s != ""
}

// A Result is what is told of a run.
type Result struct {
	Hash, Prefix                               uint64
	Points, Decisions, Forced, External, Lives uint32
	Random                                     uint64 // numbers that were drawn for the program
}

// Begin begins a run. The task is that of the goroutine that runs the test.
func (c *Control) Begin(s Spec, id uint32) {
	c.run++
	c.spec = s
	c.random, c.hash, c.prefix = 0, 0, 0
	c.points, c.decided, c.forced, c.stay = 0, 0, 0, 0
	c.Arrivals.begin(s.tells, s.told)
	c.Pace = Pace{}
	c.holds.n = 0
	c.strays = 0
	c.objects.clear()
	c.choices.clear()
	c.Seen.n, c.Seen.met, c.Seen.one = 0, false, false
	c.Log.clear()
	c.open = true
	switch s.Policy {
	case First:
		c.lengths.clear()
	case Anchored:
		c.anchors.read(s.text)
	}
	c.anchors.name, c.anchors.done = 0, 0
	c.Steps.begin(c, id)
	if id != 0 {
		// The names of what the run makes are as in a process of its own.
		t := c.tasks.at(id)
		t.births = 0
		c.anchors.ran(t, c.run)
	}
}

// Done ends a run, and returns what is told of it. It reports whether there was one.
func (c *Control) Done() (r Result, ok bool) {
	ok, c.open = c.open, false
	c.Arrivals.free()
	c.Steps.end()
	return Result{Hash: c.hash, Prefix: c.prefix, Points: c.points, Decisions: c.decided,
		Forced: c.forced, External: c.Arrivals.external, Lives: c.pending.n, Random: c.random}, ok
}

// mostChoices is how many decisions of a run are written down.
const mostChoices = 1 << 13

// A Choice is a decision of a run by default, or of one after its last forced decision: how many
// candidates it had, which of them is the default, the hash before it, and whether it comes where a
// task uses an object once more, or is in a transaction.
type Choice struct {
	Hash     uint64
	Decision uint32 // its number, from 1
	N, Usual uint32
	Hot      bool
}

// choices are the decisions of a run.
type choices struct {
	p               offheap.Ref[[mostChoices]Choice]
	n               uint32
	again           bool // the holder is about to use an object once more
	seenTransaction bool
}

func (cs *choices) clear() { cs.n, cs.again = 0, false }

func (cs *choices) note(c *Control, holder, n, usual uint32) {
	switch {
	case cs.n == mostChoices, c.spec.Policy != First && c.spec.Policy != Forced,
		c.spec.Policy == Forced && !c.spec.over(c.decided):
		return
	}
	if cs.p.Nil() {
		cs.p = offheap.To((*[mostChoices]Choice)(host.Alloc(unsafe.Sizeof([mostChoices]Choice{}))))
	}
	hot := holder != 0 && (cs.again || c.tasks.at(holder).depth > 0)
	cs.p.P()[cs.n] = Choice{c.hash, c.decided, n, usual, hot}
	cs.n++
}

// Choices is how many decisions of the run are written down, and Choice is one of them.
func (c *Control) Choices() int { return int(c.choices.n) }

// Choice is the decision at an index.
func (c *Control) Choice(i int) Choice { return c.choices.p.P()[i] }
