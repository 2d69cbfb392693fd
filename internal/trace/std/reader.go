// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package std

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// MaxLine is the greatest length of a line.
const MaxLine = 1 << 16

// bufferSize is more than enough for a line. The buffer has slack bytes more, so that a word can be
// loaded at any byte in use.
const (
	bufferSize = 1 << 18
	slack      = 8
)

// A Reader reads a trace in STD.
type Reader struct {
	r      io.Reader
	tables *trace.Tables
	buf    []byte // buf[at:end] is still to be parsed
	at     int
	end    int
	whole  int   // the end of the last whole line in buf
	over   bool  // r is at its end, or has failed; then buf[end] is a newline if need be
	failed error // of r

	lines  uint64 // the number of lines parsed so far
	first  uint64 // the number of lines before those of the last Read
	offset int64  // the number of bytes read from r
}

// NewReader reads a trace from its beginning.
func NewReader(r io.Reader) *Reader {
	t := trace.NewTables()
	t.Mutexes = true
	return &Reader{r: r, tables: t, buf: make([]byte, bufferSize+slack)}
}

// Tables has the names of the threads, locks and variables.
func (r *Reader) Tables() *trace.Tables { return r.tables }

// Place is the line of event i of the last Read.
func (r *Reader) Place(i int) trace.Place { return trace.Place{Line: int(r.first) + i + 1, Col: 1} }

// Offset is the number of bytes of the text that were read.
func (r *Reader) Offset() int64 { return r.offset - int64(r.end-r.at) }

// Read reads the next events.
func (r *Reader) Read(events []event.Event) (int, error) {
	r.first = r.lines
	n := 0
	for n < len(events) {
		if r.at >= r.whole {
			if n > 0 {
				break // these can be used while r would block
			}
			if err := r.fill(); err != nil {
				return 0, err
			}
		}
		got, bad := r.parse(events[n:])
		n += got
		r.lines += uint64(got)
		if bad {
			if n > 0 {
				break // the next call comes to the line again
			}
			return 0, r.diagnose()
		}
	}
	return n, nil
}

// fill moves the rest of the buffer to its front and reads on, until there is a whole line.
func (r *Reader) fill() error {
	copy(r.buf, r.buf[r.at:r.end])
	r.end -= r.at
	r.at, r.whole = 0, 0
	for {
		if r.over {
			if r.failed != nil {
				return r.failed
			}
			if r.end == 0 {
				return io.EOF
			}
			r.buf[r.end] = '\n' // the last line lacks it
			r.whole = r.end + 1
			return nil
		}
		if r.end == bufferSize {
			return r.errTooLong()
		}
		n, err := r.r.Read(r.buf[r.end:bufferSize])
		old := r.end
		r.end += n
		r.offset += int64(n)
		if err != nil {
			r.over = true
			if err != io.EOF {
				r.failed = err
			}
		}
		if i := bytes.LastIndexByte(r.buf[old:r.end], '\n'); i >= 0 {
			r.whole = old + i + 1
			return nil
		}
		if r.end > MaxLine && !r.over {
			return r.errTooLong()
		}
	}
}

// errTooLong is the error of a line that is too long.
func (r *Reader) errTooLong() error {
	return &trace.Error{
		Place: trace.Place{Line: int(r.lines) + 1, Col: MaxLine},
		Text:  fmt.Sprintf("a line of more than %d bytes", MaxLine),
		Hint:  "want thread|operation|location",
	}
}

// Words of eight equal bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	bars  = '|' * ones
)

// bar is the number of bytes before the first bar in a word, 8 if it has none. A bar becomes a zero
// byte in x; subtracting one sets the high bit of the first zero byte, and of no byte before it.
func bar(word uint64) int {
	x := word ^ bars
	return bits.TrailingZeros64((x-ones)&^x&highs) >> 3
}

// The beginnings of operations, as words.
const (
	read    = 'r' | '('<<8
	write   = 'w' | '('<<8
	acquire = 'a' | 'c'<<8 | 'q'<<16 | '('<<24
	release = 'r' | 'e'<<8 | 'l'<<16 | '('<<24
	fork    = 'f' | 'o'<<8 | 'r'<<16 | 'k'<<24 | '('<<32
	join    = 'j' | 'o'<<8 | 'i'<<16 | 'n'<<24 | '('<<32
	begin   = 'b' | 'e'<<8 | 'g'<<16 | 'i'<<24 | 'n'<<32
	end     = 'e' | 'n'<<8 | 'd'<<16
)

// parse parses as many of the whole lines as there is room for events. It stops before a line with
// an error, and reports it. Each line ends with a newline, at which all loops stop, so there is no
// check for the end of the buffer. Loads of words stay within buf by its slack.
func (r *Reader) parse(events []event.Event) (n int, bad bool) {
	buf, at, whole := r.buf, r.at, r.whole
	t := r.tables
	for ; n < len(events) && at < whole; n++ {
		e := &events[n]
		p := at
		var ok bool
		if e.Thread, p, ok = r.name(t.Threads, buf, p, 0); !ok {
			break
		}
		word := binary.LittleEndian.Uint64(buf[p:])
		e.Point = 0
		switch {
		case word&0xffff == read:
			e.Op = event.Read
			e.Target, p, ok = r.name(t.Vars, buf, p+2, 1)
		case word&0xffff == write:
			e.Op = event.Write
			e.Target, p, ok = r.name(t.Vars, buf, p+2, 1)
		case word&0xffffffff == acquire:
			e.Op = event.Acquire
			e.Target, p, ok = r.name(t.Locks, buf, p+4, 1)
		case word&0xffffffff == release:
			e.Op = event.Release
			e.Target, p, ok = r.name(t.Locks, buf, p+4, 1)
		case word&0xffffff == end:
			e.Op, e.Target = event.End, 0
			p, ok = skipLabel(buf, p+3)
		case word&0xffffffffff == begin:
			e.Op, e.Target = event.Begin, 0
			p, ok = skipLabel(buf, p+5)
		case word&0xffffffffff == fork:
			e.Op = event.Fork
			e.Target, p, ok = r.name(t.Threads, buf, p+5, 1)
		case word&0xffffffffff == join:
			e.Op = event.Join
			e.Target, p, ok = r.name(t.Threads, buf, p+5, 1)
		default:
			ok = false
		}
		if !ok {
			break
		}
		if e.Pos, p, ok = location(buf, p); !ok {
			break
		}
		at = p
	}
	bad = n < len(events) && at < whole
	r.at = min(at, r.end)
	if r.at == r.end {
		r.whole = r.at
	}
	return n, bad
}

// name reads a name that begins at p and ends before a bar or, if paren is 1, before a closing
// parenthesis and a bar. The result is its number and the index after the bar. A name of up to
// seven bytes is found by its word, without a loop.
func (r *Reader) name(names *trace.Names, buf []byte, p, paren int) (number uint32, next int,
	ok bool) {
	word := binary.LittleEndian.Uint64(buf[p:])
	length := bar(word)
	if length == 8 || length <= paren {
		return r.longName(names, buf, p, paren)
	}
	if paren == 1 && byte(word>>(8*uint(length-1))) != ')' {
		return 0, 0, false
	}
	next = p + length + 1
	length -= paren
	if number, ok = names.Short(trace.ShortKey(word, length)); ok {
		return number, next, true
	}
	return r.newName(names, buf[p:p+length], next)
}

// longName is name for a name that doesn't end within a word.
func (r *Reader) longName(names *trace.Names, buf []byte, p, paren int) (number uint32, next int,
	ok bool) {
	length := 0
	for buf[p+length] != '|' {
		if buf[p+length] == '\n' {
			return 0, 0, false
		}
		length++
	}
	next = p + length + 1
	if length <= paren || paren == 1 && buf[p+length-1] != ')' {
		return 0, 0, false
	}
	name := buf[p : p+length-paren]
	if number, ok = names.Find(name); ok {
		return number, next, true
	}
	return r.newName(names, name, next)
}

// newName numbers a name that has no number yet. Only here the characters of a name are checked: a
// name that was found was checked before.
func (r *Reader) newName(names *trace.Names, name []byte, next int) (number uint32, at int,
	ok bool) {
	if spaces(name, names == r.tables.Threads) >= 0 || bytes.IndexByte(name, 0) >= 0 {
		return 0, 0, false
	}
	number, ok = names.Add(name)
	return number, next, ok
}

// spaces is the index of the first white space that a name may not have, -1 if there is none. A
// thread's name may have blanks between other characters.
func spaces(name []byte, thread bool) int {
	for i, c := range name {
		if c == ' ' && thread && i > 0 && i < len(name)-1 {
			continue
		}
		if c == ' ' || c >= '\t' && c <= '\r' {
			return i
		}
	}
	return -1
}

// skipLabel skips the label behind begin or end.
func skipLabel(buf []byte, p int) (next int, ok bool) {
	for buf[p] != '|' {
		if buf[p] == '\n' {
			return 0, false
		}
		p++
	}
	return p + 1, true
}

// location reads the last field, a number of 32 bits with a sign, and the end of the line.
func location(buf []byte, p int) (loc uint32, next int, ok bool) {
	limit := uint64(math.MaxInt32)
	negative := buf[p] == '-'
	if negative || buf[p] == '+' {
		if p++; negative {
			limit++
		}
	}
	v, start := uint64(0), p
	for {
		d := uint64(buf[p] - '0')
		if d > 9 {
			break
		}
		if v = 10*v + d; v > limit {
			return 0, 0, false
		}
		p++
	}
	if p == start {
		return 0, 0, false
	}
	if buf[p] == '\r' {
		p++
	}
	if buf[p] != '\n' {
		return 0, 0, false
	}
	if negative {
		v = -v
	}
	return uint32(v), p + 1, true
}
