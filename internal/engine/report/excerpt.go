// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// maxLines is the number of lines that an excerpt has at most.
const maxLines = 8

// An excerpt is the lines of the source that a report is about, each once: file by file, in the
// order in which they are in the file.
type excerpt struct {
	n     int
	lines [maxLines]sourceLine
}

type sourceLine struct {
	file string
	line int
	code string
	cut  bool // there is more on the line
}

// add adds a line, if its source can be read.
func (x *excerpt) add(file string, line int) {
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

// addFrame is add for the line of a frame.
func (x *excerpt) addFrame(fr host.Frame) { x.add(fr.File, fr.Line) }

// print writes the lines, each with its file and number, and an empty line.
func (x *excerpt) print(b *text.Buffer) {
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
		b.Texts(" | ", x.lines[i].code, text.Pick(x.lines[i].cut, "...", ""), "\n")
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
