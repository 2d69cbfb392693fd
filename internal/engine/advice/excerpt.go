// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package advice

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// maxLines is the number of lines that an excerpt has at most.
const maxLines = 8

// An Excerpt is the lines of the source that a report is about, each once: file by file, in the
// order in which they are in the file.
type Excerpt struct {
	n     int
	lines [maxLines]sourceLine
}

type sourceLine struct {
	file string
	line int
	code string
	cut  bool // there is more on the line
}

// Add adds a line, if its source can be read.
func (x *Excerpt) Add(file string, line int) {
	at := x.n
	for i := range x.n {
		l := &x.lines[i]
		switch {
		case l.file == file && l.line == line:
			return
		case l.file == file && l.line < line:
			at = i + 1
		case l.file == file && at == x.n:
			at = i
		}
	}
	code, cut := source.Code(file, line)
	if code == "" || x.n == maxLines {
		return
	}
	copy(x.lines[at+1:x.n+1], x.lines[at:x.n])
	x.lines[at] = sourceLine{file, line, code, cut}
	x.n++
}

// AddFrame is Add for the line of a frame.
func (x *Excerpt) AddFrame(fr host.Frame) { x.Add(fr.File, fr.Line) }

// Len is the number of lines.
func (x *Excerpt) Len() int { return x.n }

// Line is the i-th line: its file and number, and its text, as it is written.
func (x *Excerpt) Line(i int) (file string, line int, code, more string) {
	l := &x.lines[i]
	return l.file, l.line, l.code, text.Pick(l.cut, "...", "")
}

// Print writes the lines, each with its file and number, and an empty line.
func (x *Excerpt) Print(b *text.Buffer) {
	width := 0
	for i := range x.n {
		start := b.N
		x.lines[i].place(b)
		width = max(width, b.N-start)
		b.N = start
	}
	for i := range x.n {
		b.Text("  ")
		start := b.N
		x.lines[i].place(b)
		for b.N-start < width {
			b.Text(" ")
		}
		_, _, code, more := x.Line(i)
		b.Texts(" | ", code, more, "\n")
	}
	if x.n > 0 {
		b.Text("\n")
	}
}

// place writes the file and number.
func (l *sourceLine) place(b *text.Buffer) {
	b.Texts(text.Base(l.file), ":")
	b.Int(int64(l.line))
}
