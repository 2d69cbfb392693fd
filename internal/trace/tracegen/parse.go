// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/event"
)

// Parse makes a stream of a short text, for tests: words such as
//
//	1> 1wx 1rx 1+a 1-a 1~a 1f2 1j2 1t0.3 1<
//
// The digit is the thread. In this order, the words are a begin, a write, a read, an acquire, a
// release and a merging release. Then come a fork, a join, the touch of a point of an object, and
// an end. Parse panics on anything else.
func Parse(text string) []event.Event {
	var list []event.Event
	for i, word := range strings.Fields(text) {
		e, err := parseWord(word)
		if err != nil {
			panic(fmt.Sprintf("word %d, %q: %v", i, word, err))
		}
		e.Pos = uint32(i + 1)
		list = append(list, e)
	}
	return list
}

var opLetters = map[byte]event.Kind{
	'>': event.Begin, '<': event.End, 'w': event.Write, 'r': event.Read, '+': event.Acquire,
	'-': event.Release,
	'~': event.ReleaseMerge, 'f': event.Fork, 'j': event.Join, 't': event.Touch,
}

// parseWord makes the event of a word.
func parseWord(word string) (e event.Event, err error) {
	if len(word) < 2 || word[0] < '0' || word[0] > '9' {
		return e, fmt.Errorf("want a digit and an operation")
	}
	e.Thread = uint32(word[0] - '0')
	e.Op = opLetters[word[1]]
	rest := word[2:]
	switch e.Op {
	case 0:
		return e, fmt.Errorf("no such operation")
	case event.Begin, event.End:
		if rest != "" {
			err = fmt.Errorf("want nothing more")
		}
	case event.Fork, event.Join:
		_, err = fmt.Sscanf(rest, "%d", &e.Target)
	case event.Touch:
		_, err = fmt.Sscanf(rest, "%d.%d", &e.Target, &e.Point)
	default:
		if len(rest) != 1 || rest[0] < 'a' || rest[0] > 'z' {
			return e, fmt.Errorf("want one letter for the target")
		}
		e.Target = uint32(rest[0] - 'a')
	}
	return e, err
}
