// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"strconv"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// steps are those of a run, by the goroutines that make them. Goroutines and objects are numbered
// as they come first.
type steps struct {
	names   []uint64    // of goroutines
	lists   [][]oneStep // of each goroutine
	count   int
	changed []int // how often each object is
}

// A oneStep is a step. It is made of deeds, and ends as its end says.
type oneStep struct {
	deeds []deed
	end   byte // p: at a point; w: it can't go on; 0: the run is over
	at    int  // the ordinal of the point's object, 0 for none
	kind  engine.Kind
	hot   bool
	// passed is how many operations of the library it has made that are no points.
	passed int
}

// A deed makes the goroutine ready, if object is -1, or uses an object, which has been changed so
// many times before.
type deed struct {
	goroutine, object int
	changes           bool
	before            int
}

// A stepsParser reads the steps of a run.
type stepsParser struct {
	*steps
	ids    map[int]int // of goroutines
	number map[int]int // of objects
	holder int
	yields int // who could go on, and is about to be made ready again; -1 for nobody
	now    oneStep
	open   bool // there is a step now
}

// parseSteps reads steps. It returns nil if they are not as the templates' exploresteps.go has
// them.
func parseSteps(words []string) *steps {
	p := stepsParser{steps: new(steps), ids: make(map[int]int), number: make(map[int]int),
		yields: -1}
	p.object(int(engine.All))
	for i, word := range words {
		var numbers []int
		for text := range strings.SplitSeq(word[1:], ".") {
			n, err := strconv.Atoi(text)
			if err != nil && (word[0] != 'm' || len(numbers) == 0) {
				return nil
			}
			numbers = append(numbers, n)
		}
		ok := p.read(word, numbers)
		if i == 0 {
			ok = ok && word[0] == 'm'
			p.begin()
		}
		if !ok {
			return nil
		}
	}
	if !p.open {
		return nil
	}
	p.over(0)
	return p.steps
}

// read reads a deed, with the numbers in it. It reports whether it is one.
func (p *stepsParser) read(word string, numbers []int) bool {
	n := numbers[0]
	id, known := p.ids[n]
	switch letter := word[0]; {
	case letter == 'm' && len(numbers) == 2:
		name, err := strconv.ParseUint(word[strings.IndexByte(word, '.')+1:], 16, 64)
		p.ids[n] = len(p.names)
		p.names = append(p.names, name)
		p.lists = append(p.lists, nil)
		return err == nil
	case letter == 'g':
		if !known || p.open || len(p.lists[p.holder]) == 0 {
			return false
		}
		if list := p.lists[p.holder]; list[len(list)-1].end == 'p' && id != p.holder {
			p.yields = p.holder
		}
		p.holder = id
		p.begin()
	case !p.open:
		return false
	case letter == 'r' && known && id == p.yields:
		p.yields = -1
	case letter == 'r' && known:
		p.now.deeds = append(p.now.deeds, deed{goroutine: id, object: -1})
	case letter == 'c', letter == 'v':
		p.use(n, letter == 'c')
	case letter == 'p' && len(numbers) == 4 && p.yields < 0:
		p.now.at, p.now.kind, p.now.hot = n, engine.Kind(numbers[1]), numbers[2] == 1
		p.now.passed = numbers[3]
		p.over('p')
	case letter == 'w' && p.yields < 0:
		p.now.passed = n
		p.over('w')
	default:
		return false
	}
	return true
}

// begin begins a step of the holder. Each step looks at what all share.
func (p *stepsParser) begin() {
	p.now, p.open = oneStep{}, true
	p.use(int(engine.All), false)
}

// over ends it.
func (p *stepsParser) over(end byte) {
	p.now.end = end
	p.lists[p.holder] = append(p.lists[p.holder], p.now)
	p.count++
	p.open = false
}

// object is the number of an object.
func (p *stepsParser) object(told int) int {
	n, known := p.number[told]
	if !known {
		n = len(p.changed)
		p.number[told] = n
		p.changed = append(p.changed, 0)
	}
	return n
}

// use has the step use an object.
func (p *stepsParser) use(told int, changes bool) {
	n := p.object(told)
	p.now.deeds = append(p.now.deeds, deed{object: n, changes: changes, before: p.changed[n]})
	if changes {
		p.changed[n]++
	}
}
