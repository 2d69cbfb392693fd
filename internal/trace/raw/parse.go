// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/trace/spec"
)

// A TextError is an error at a line and column of a text.
type TextError struct {
	Line, Col int
	Text      string
}

func (e *TextError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Text) }

// Parse writes the binary trace of a text form.
func Parse(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, NewTextReader(r))
	return err
}

// A TextReader reads the binary trace of a text form. It reads the text by chunks, as far as it has
// to. There is no goroutine and no pipe, so nothing is left behind if a caller stops reading.
type TextReader struct {
	parser
	binary bytes.Buffer // bytes of the binary trace that were not read yet
	err    error        // the error after those
}

// NewTextReader reads a text form from its beginning.
func NewTextReader(r io.Reader) *TextReader {
	return &TextReader{parser: parser{lines: bufio.NewReaderSize(r, 1<<16), kinds: spec.Kinds()}}
}

// Read reads the next bytes. An error in the text is a [*TextError].
func (t *TextReader) Read(b []byte) (int, error) {
	for t.binary.Len() == 0 && t.err == nil {
		t.err = t.parse()
	}
	if t.binary.Len() == 0 {
		return 0, t.err
	}
	return t.binary.Read(b)
}

// parse parses the header, or the next line. At the end of the text it returns [io.EOF].
func (t *TextReader) parse() error {
	if t.w == nil {
		return t.parseHeader(&t.binary)
	}
	line, err := t.next()
	if err == io.EOF {
		if err := t.flush(); err != nil {
			return err
		}
		return io.EOF
	}
	if err != nil {
		return err
	}
	return t.parseLine(line)
}

// A parser turns lines into chunks. A chunk is written when the next one begins.
type parser struct {
	lines *bufio.Reader
	w     *Writer
	kinds map[string]spec.Kind
	line  int
	ring  bool
	open  bool // there is a chunk
	chunk Builder
}

// maxLine is the greatest length of a line.
const maxLine = 1 << 20

// next is the next line that is neither empty nor a comment.
func (p *parser) next() (string, error) {
	for {
		var line []byte
		for {
			part, err := p.lines.ReadSlice('\n')
			line = append(line, part...)
			if len(line) > maxLine {
				return "", &TextError{p.line + 1, 1,
					fmt.Sprintf("a line of more than %d bytes", maxLine)}
			}
			if err == bufio.ErrBufferFull {
				continue
			}
			if err != nil && err != io.EOF || len(line) == 0 {
				return "", err
			}
			break
		}
		p.line++
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 && line[0] != '#' {
			return string(line), nil
		}
	}
}

// parseHeader parses the first line, and begins the binary trace.
func (p *parser) parseHeader(w io.Writer) error {
	line, err := p.next()
	if err != nil && err != io.EOF {
		return err
	}
	p.ring = line == strings.TrimSpace(spec.RingHeader)
	if !p.ring && line != strings.TrimSpace(spec.Header) {
		return p.fail(1, "%q, want %q", line, strings.TrimSpace(spec.Header))
	}
	if p.ring {
		p.w, err = NewRing(w)
	} else {
		p.w, err = NewWriter(w)
	}
	return err
}

// fail is an error at a column of the present line.
func (p *parser) fail(col int, format string, args ...any) error {
	return &TextError{max(p.line, 1), col, fmt.Sprintf(format, args...)}
}

// flush writes the present chunk, if there is one.
func (p *parser) flush() error {
	if !p.open {
		return nil
	}
	return p.w.Write(&p.chunk.Chunk)
}

// parseLine parses a line: the begin of a chunk, or a record of the present one.
func (p *parser) parseLine(line string) error {
	f := fields{p: p, line: line}
	name := f.word()
	switch name {
	case "Events", "Definitions":
		return p.parseChunk(name, &f)
	}
	k, ok := p.kinds[name]
	if !ok {
		return p.fail(1, "unknown record %q (records are named in package internal/trace/spec)",
			name)
	}
	if !p.open || (k < spec.FirstDefinition) != (p.chunk.Kind == spec.Events) {
		return p.fail(1, "%s is outside of a chunk of its kind (begin one with a line %s)", name,
			p.chunkOf(k))
	}
	r := Record{Kind: k}
	info := spec.InfoOf(k)
	for i, arg := range info.Args {
		var err error
		if arg.Type == spec.Text {
			r.Texts[i], err = f.text(arg.Name)
		} else {
			r.Args[i], err = f.number(arg.Name, arg.Type == spec.Signed)
		}
		if err != nil {
			return err
		}
	}
	if info.IsStep() {
		pos, err := f.number("pos", false)
		if err == nil && pos > 1<<32-1 {
			err = p.fail(f.at+1, "position %d, want one of 32 bits", pos)
		}
		if err != nil {
			return err
		}
		r.Pos = uint32(pos)
	}
	if err := f.end(); err != nil {
		return err
	}
	if err := p.chunk.Add(&r); err != nil {
		return p.fail(1, "%v (begin a new one before)", err)
	}
	return nil
}

// chunkOf is a line that begins a chunk for records of a kind; for an error.
func (p *parser) chunkOf(k spec.Kind) string {
	if k < spec.FirstDefinition && p.ring {
		return "Events codec=s2 first=0 low=0 ordered=true from=0 past=0"
	}
	if k < spec.FirstDefinition {
		return "Events codec=s2 first=0 low=0 ordered=true"
	}
	return "Definitions codec=s2"
}

// parseChunk writes the present chunk and begins another. The fields have the order in which Print
// writes them.
func (p *parser) parseChunk(name string, f *fields) (err error) {
	if err := p.flush(); err != nil {
		return err
	}
	p.open = true
	value, err := f.value("codec")
	if err != nil {
		return err
	}
	codec, ok := Codec(value)
	if !ok {
		return p.fail(f.at+1, "unknown codec %q (want plain, s2 or zstd)", value)
	}
	if name == "Definitions" {
		p.chunk.Reset(spec.Definitions, codec, 0)
		return f.end()
	}
	first, err := f.number("first", false)
	if err != nil {
		return err
	}
	p.chunk.Reset(spec.Events, codec, first)
	if p.chunk.Low, err = f.number("low", false); err != nil {
		return err
	}
	ordered, err := f.value("ordered")
	if err != nil {
		return err
	}
	if p.chunk.Ordered, err = strconv.ParseBool(ordered); err != nil {
		return p.fail(f.at+len("ordered=")+1, "%q, want true or false", ordered)
	}
	if p.ring {
		if p.chunk.From, err = f.number("from", false); err != nil {
			return err
		}
		if p.chunk.Past, err = f.number("past", false); err != nil {
			return err
		}
	}
	return f.end()
}
