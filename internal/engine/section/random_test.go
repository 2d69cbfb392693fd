// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"flag"
	"math/rand"
	"testing"
)

var missed = flag.Bool("missed", false, "show what is not found")
var programs = flag.Int("programs", 0, "how many random programs to look at")
var from = flag.Int64("from", 0, "the seed of the first random program")

// TestRandom runs random programs in random orders. Each report must be true: among all schedules
// of the program there must be one that shows it.
func TestRandom(t *testing.T) { compareRandom(t, maker{}) }

// TestRandomAtomics is TestRandom with atomic operations, in sections of locks and by themselves.
func TestRandomAtomics(t *testing.T) { compareRandom(t, maker{atomics: true}) }

// TestRandomBlocks is TestRandom with elements, of which the engine knows the block of memory only.
func TestRandomBlocks(t *testing.T) { compareRandom(t, maker{blocks: true}) }

// TestRandomOpaque is TestRandom with opaque sections, of which nothing is recorded.
func TestRandomOpaque(t *testing.T) {
	compareRandom(t, maker{opaques: true})
	compareRandom(t, maker{opaques: true, atomics: true})
}

// TestRandomLate is TestRandom with functions of several packages. Nothing is told of a package
// before the first activation of its function, but that others than it have locks.
func TestRandomLate(t *testing.T) {
	compareRandom(t, maker{late: true})
	compareRandom(t, maker{late: true, atomics: true})
	compareRandom(t, maker{late: true, blocks: true})
}

// TestRandomAgain has programs of which something was reported once that no schedule shows.
func TestRandomAgain(t *testing.T) {
	for like, seeds := range map[maker][]int64{
		{atomics: true}: {1000447, 5015648, 10014396},
		{opaques: true}: {4012036},
	} {
		for _, seed := range seeds {
			comparePrograms(t, like, seed, 1)
		}
	}
}

func compareRandom(t *testing.T, like maker) {
	n := *programs
	if n == 0 {
		n = 20000
		if testing.Short() {
			n = 2000
		}
	}
	comparePrograms(t, like, *from, n)
}

// comparePrograms compares what is reported of n programs with all their schedules.
func comparePrograms(t *testing.T, like maker, from int64, n int) {
	var by [3]int
	var wrong [3]int
	unknown, seldom := 0, 0
	for seed := from; seed < from+int64(n); seed++ {
		p := makeProgram(seed, like)
		s := newScript()
		s.late = like.late
		r := rand.New(rand.NewSource(seed))
		trace := p.execute(s, r, 1+r.Intn(6))
		for i := range s.found {
			f := &s.found[i]
			c := p.claimOf(f)
			if f.Seldom {
				seldom++
				continue
			}
			by[f.Evidence]++
			if f.Last && !c.cameLast(trace) || f.Last && f.Evidence == Observed {
				t.Errorf("seed %d: goroutine %d's %v did not come after %d's %v", seed, c.other+1,
					c.by, c.g+1, c.pair.act)
			}
			found, all := false, true
			if f.Evidence == Observed {
				found = c.holds(trace) // it is what has happened
			} else {
				found, all = p.schedules(c.holds)
			}
			switch {
			case found:
			case !all:
				unknown++
			default:
				wrong[f.Evidence]++
				if wrong[f.Evidence] < 3 {
					t.Errorf("seed %d: no schedule shows evidence %d of goroutine %d's %v and "+
						"%v, with %d's %v in\n%v", seed, f.Evidence, c.g+1, c.pair.check,
						c.pair.act, c.other+1, c.by, p)
				}
			}
		}
	}
	if wrong != [3]int{} {
		t.Errorf("%d wrong", wrong)
	}
	t.Logf("%d programs: observed %d, predicted %d, twin %d; %d in too many schedules, %d seldom",
		n, by[Observed], by[Predicted], by[Twin], unknown, seldom)
}

// TestFound counts how many pairs that are no single step are found in one run.
func TestFound(t *testing.T) {
	n := 2000
	for _, turns := range []int{1 << 30, 3} {
		bugs, made, found := 0, 0, 0
		for seed := range int64(n) {
			p := randomProgram(seed)
			s := newScript()
			trace := p.execute(s, rand.New(rand.NewSource(seed)), turns)
			for _, f := range p.functions {
				for i := range f.pairs {
					is, _ := p.schedules(func(list []happening) bool {
						return isBug(list, &f.pairs[i], &f.code.Pairs[i])
					})
					if !is {
						continue
					}
					bugs++
					if isMade(trace, &f.pairs[i], &f.code.Pairs[i]) {
						made++
					}
					was := found
					for j := range s.found {
						if s.found[j].Func.P() == &f.code && s.found[j].Pair == i {
							found++
							break
						}
					}
					if found == was && *missed && isMade(trace, &f.pairs[i], &f.code.Pairs[i]) {
						t.Logf("seed %d: missed %v; %v of\n%v", seed, f.pairs[i].check,
							f.pairs[i].act, p)
						for _, h := range trace {
							t.Logf("g%d t%d %v %d->%d", h.g+1, h.time, h.op, h.before, h.after)
						}
					}
				}
			}
		}
		t.Logf("a turn in %d steps: %d of %d found, %d have an act in the run", turns, found, bugs,
			made)
	}
}
