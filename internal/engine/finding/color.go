// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/text"
)

// The codes of a terminal's colors.
const (
	red   = "\x1b[1;31m"
	green = "\x1b[32m"
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// labels are the beginnings of lines that are set off, and their colors.
var labels = [...][2]string{{"WARNING: ", red}, {"What can go wrong: ", bold}, {"Evidence: ", bold},
	{"In this run: ", bold}, {"How to mend it: ", green}, {"How to keep it silent: ", bold},
	{"More of it: ", bold},
	{"Object: ", bold}, {"Key: ", bold}, {"Test: ", bold}, {"commute: found ", red}}

// colored gives a text back, and returns one with the same words in color.
func colored(t *output.Text) *output.Text {
	c := t.To()
	for rest := t.String(); rest != ""; {
		var line string
		line, rest = text.Cut(rest, '\n')
		colorLine(&c.Buffer, line)
		c.Text("\n")
	}
	t.Discard()
	return c
}

// colorLine writes a line in color: all of a warning, the name in front of others, and the places
// of stacks faintly.
func colorLine(b *text.Buffer, line string) {
	for _, l := range labels {
		if !text.HasPrefix(line, l[0]) {
			continue
		}
		if l[1] == red {
			b.Texts(red, line, plain)
		} else {
			b.Texts(l[1], l[0], plain, line[len(l[0]):])
		}
		return
	}
	if text.HasPrefix(line, "      ") && !text.HasPrefix(line, "       ") {
		b.Texts(faint, line, plain)
		return
	}
	b.Text(line)
}
