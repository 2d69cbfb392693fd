// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"bytes"
	"strconv"
)

// Labels are names that are valid in a text format: without white space, control characters and
// some other characters, and all different.
type Labels struct {
	names *Names
	avoid string
	made  [][]byte // by number; nil if it was not asked for
	taken *Names
}

// NewLabels makes labels of names, without the characters of avoid.
func NewLabels(names *Names, avoid string) *Labels {
	return &Labels{names: names, avoid: avoid, taken: NewNames("")}
}

// Of is the label of the thing with a number. A thing always has the same label.
func (l *Labels) Of(number uint32) []byte {
	if uint64(number) < uint64(len(l.made)) && l.made[number] != nil {
		return l.made[number]
	}
	return l.make(number)
}

// make makes a label: the name, with unsuitable characters replaced and a number added as long as
// another thing has the same.
func (l *Labels) make(number uint32) []byte {
	label := []byte(l.names.Name(number))
	for i, c := range label {
		if c <= ' ' || c == 0x7f || bytes.IndexByte([]byte(l.avoid), c) >= 0 {
			label[i] = '_'
		}
	}
	for {
		if _, taken := l.taken.Find(label); !taken {
			break
		}
		label = append(label, '#')
		label = strconv.AppendUint(label, uint64(number), 10)
	}
	l.taken.Add(label)
	for uint64(len(l.made)) <= uint64(number) {
		l.made = append(l.made, nil)
	}
	l.made[number] = label
	return label
}
