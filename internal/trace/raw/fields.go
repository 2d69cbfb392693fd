// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"strconv"
	"strings"
)

// The fields of a line are its words, read from left to right.
type fields struct {
	p    *parser
	line string
	at   int // the present word's offset
	next int // the next word's
}

// word reads up to the next space.
func (f *fields) word() string {
	f.at = f.next
	rest := f.line[f.at:]
	n := strings.IndexByte(rest, ' ')
	if n < 0 {
		n = len(rest)
	}
	f.next = min(f.at+n+1, len(f.line))
	return rest[:n]
}

// value reads name=value.
func (f *fields) value(name string) (string, error) {
	word := f.word()
	value, ok := strings.CutPrefix(word, name+"=")
	if !ok {
		return "", f.p.fail(f.at+1, "%q, want %s=", word, name)
	}
	return value, nil
}

// number reads name=number.
func (f *fields) number(name string, signed bool) (uint64, error) {
	value, err := f.value(name)
	if err != nil {
		return 0, err
	}
	var v uint64
	if signed {
		var n int64
		n, err = strconv.ParseInt(value, 10, 64)
		v = uint64(n)
	} else if hex, ok := strings.CutPrefix(value, "0x"); ok {
		v, err = strconv.ParseUint(hex, 16, 64)
	} else {
		v, err = strconv.ParseUint(value, 10, 64)
	}
	if err != nil {
		return 0, f.p.fail(f.at+len(name)+2, "%q, want a number of 64 bits", value)
	}
	return v, nil
}

// text reads name="string", which may have spaces in it.
func (f *fields) text(name string) (string, error) {
	f.at = f.next
	rest, ok := strings.CutPrefix(f.line[f.at:], name+"=")
	if !ok {
		return "", f.p.fail(f.at+1, "%q, want %s=", f.line[f.at:], name)
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil || quoted[0] == '\'' {
		return "", f.p.fail(f.at+len(name)+2, "%q, want a quoted string", rest)
	}
	value, err := strconv.Unquote(quoted)
	if err != nil {
		return "", f.p.fail(f.at+len(name)+2, "%q, want a quoted string", rest)
	}
	f.next = f.at + len(name) + 1 + len(quoted)
	if f.next < len(f.line) {
		if f.line[f.next] != ' ' {
			return "", f.p.fail(f.next+1, "%q after a string, want a space", f.line[f.next:])
		}
		f.next++
	}
	return value, nil
}

// end is an error if there are more fields.
func (f *fields) end() error {
	if f.next < len(f.line) {
		return f.p.fail(f.next+1, "%q, want the end of the line", f.line[f.next:])
	}
	return nil
}
