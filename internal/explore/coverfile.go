// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/commutego/commute/ecl"
)

// The file of a Cover is a text: a line that says so, and a line for each order and each test,
// sorted. Between two words there is one space.
//
//	commute cover 1
//	Lock example.com/m/pool.go:31 before Lock example.com/m/pool.go:40
//	test example.com/m TestPool seed 1 shard 1/2 runs 64 switches 1 pass
//
// Kinds are those of package explore of the engine. The shard of all runs is 1/1.

// coverHeader is the first line.
const coverHeader = "commute cover 1"

// Format is the text of the file.
func (c *Cover) Format() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, coverHeader)
	for _, o := range c.sortedOrders() {
		fmt.Fprintln(&b, o)
	}
	for _, t := range c.sortedTests() {
		r := c.tests[t]
		end := "pass"
		if r.fails {
			end = "fail"
		}
		fmt.Fprintf(&b, "test %s %s seed %d shard %d/%d runs %d switches %d %s\n", t.pkg, t.test, t.seed,
			max(1, t.shard.Index), max(1, t.shard.Of), r.runs, r.switches, end)
	}
	return b.Bytes()
}

// A coverLine is a line that is being read.
type coverLine struct {
	rest string
	col  int // of the rest, in bytes from 1
	err  error
	at   int // the column of the error
}

// word is the next word; what says what it has to be.
func (l *coverLine) word(what string) string {
	w, rest, more := strings.Cut(l.rest, " ")
	if w == "" {
		l.fail("want " + what)
		return ""
	}
	l.rest, l.col = rest, l.col+len(w)
	if more {
		l.col++
		if rest == "" {
			l.fail("a space at the end")
		}
	}
	return w
}

func (l *coverLine) fail(message string) {
	if l.err == nil {
		l.err, l.at = errors.New(message), l.col
	}
}

// expect is the next word, which has to be that one.
func (l *coverLine) expect(want string) {
	at := l.col
	if w := l.word(want); w != want && l.err == nil {
		l.err, l.at = fmt.Errorf("want %q, not %q", want, w), at
	}
}

// number is the next word, a number up to most.
func (l *coverLine) number(what string, most uint64) uint64 {
	at := l.col
	w := l.word(what)
	n, err := strconv.ParseUint(w, 10, 64)
	if (err != nil || n > most || strconv.FormatUint(n, 10) != w) && l.err == nil {
		l.err, l.at = fmt.Errorf("want %s, not %q", what, w), at
	}
	return n
}

// op is an operation.
func (l *coverLine) op() (o Op) {
	at := l.col
	o.Kind = l.word("an operation")
	if !kindNames[o.Kind] && l.err == nil {
		l.err, l.at = fmt.Errorf("%q is no operation", o.Kind), at
	}
	at = l.col
	o.Place = l.word("the place of an operation")
	file, line := cutPlace(o.Place)
	if (!strings.Contains(file, "/") || line < 1 || o.Place != fmt.Sprintf("%s:%d", file, line)) &&
		l.err == nil {
		l.err, l.at = fmt.Errorf("%q is no place: one is like example.com/m/file.go:12", o.Place), at
	}
	return o
}

// end expects no more words.
func (l *coverLine) end() {
	if l.rest != "" {
		l.fail("want the end of the line")
	}
}

// ParseCover reads the text of a file. An error is an ecl.Errors, with the place in the file.
func ParseCover(name string, text []byte) (*Cover, error) {
	c := new(Cover)
	n := 0
	var err error
	fail := func(col int, message string) (*Cover, error) {
		return nil, ecl.Errors{{Pos: token.Position{Filename: name, Line: n, Column: col},
			Text: message}}
	}
	for line := range bytes.Lines(text) {
		n++
		whole, ended := strings.CutSuffix(string(line), "\n")
		if !ended {
			return fail(len(whole)+1, "the file ends in the middle of a line")
		}
		l := &coverLine{rest: whole, col: 1}
		switch {
		case n == 1:
			if whole != coverHeader {
				return fail(1, fmt.Sprintf("want %q: it is no file of -explore_cover", coverHeader))
			}
		case strings.HasPrefix(whole, "test "):
			l.test(c)
		default:
			o := Order{Before: l.op()}
			l.expect("before")
			o.After = l.op()
			if l.end(); l.err == nil {
				c.Add(o)
			}
		}
		if err = l.err; err != nil {
			return fail(l.at, err.Error())
		}
	}
	if n == 0 {
		n = 1
		return fail(1, fmt.Sprintf("want %q: the file is empty", coverHeader))
	}
	return c, nil
}

// test reads a line about a test.
func (l *coverLine) test(c *Cover) {
	const many = 1 << 40
	var t coverTest
	var r coverRuns
	l.expect("test")
	t.pkg, t.test = l.word("a package"), l.word("a test")
	l.expect("seed")
	t.seed = l.number("a number", 1<<64-1)
	l.expect("shard")
	at := l.col
	s, err := ParseShard(l.word("a shard"))
	if err != nil && l.err == nil {
		l.err, l.at = errors.New("want a shard, as 1/4"), at
	}
	if t.shard = s; !s.split() {
		t.shard = Shard{}
	}
	l.expect("runs")
	r.runs = int(l.number("a number of runs", many))
	l.expect("switches")
	r.switches = int(l.number("a number up to 3", mostSwitches))
	at = l.col
	end := l.word("pass or fail")
	if r.fails = end == "fail"; !r.fails && end != "pass" && l.err == nil {
		l.err, l.at = errors.New("want pass or fail"), at
	}
	if l.end(); l.err == nil {
		c.add(t, r)
	}
}

// ReadCover reads a file. If there is none, the Cover is empty.
func ReadCover(name string) (*Cover, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return new(Cover), nil
	}
	if err != nil {
		return nil, err
	}
	return ParseCover(name, text)
}

// Write writes the file, and replaces an existing one.
func (c *Cover) Write(name string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".cover-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(c.Format())
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
