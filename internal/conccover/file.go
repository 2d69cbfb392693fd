// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
)

// title is the beginning of the first line of a profile, and Header is the whole line.
const (
	title  = "commute concurrency "
	Header = title + "1"
)

// Is reports whether a text is a profile, of any version.
func Is(text []byte) bool { return bytes.HasPrefix(text, []byte(title)) }

// Format is the text of a profile. The same profile has the same text.
func (p *Profile) Format() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, Header)
	for _, o := range slices.SortedFunc(maps.Keys(p.ops), Object.compare) {
		for _, op := range slices.SortedFunc(maps.Keys(p.ops[o]), Operation.compare) {
			fmt.Fprintln(&b, "op", o.line(), op.line())
		}
	}
	for _, pair := range slices.SortedFunc(maps.Keys(p.pairs), Pair.compare) {
		fmt.Fprintln(&b, "pair", pair.Object.line(), pair.First.line(), pair.Second.line(),
			p.pairs[pair])
	}
	for _, name := range slices.Sorted(maps.Keys(p.types)) {
		fmt.Fprint(&b, "type ", escape(name))
		for _, m := range slices.SortedFunc(maps.Keys(p.types[name]), Methods.compare) {
			fmt.Fprintf(&b, " %s,%s", escape(m[0]), escape(m[1]))
		}
		fmt.Fprintln(&b)
	}
	return b.Bytes()
}

func (o Object) line() string {
	return fmt.Sprintf("%s %s %s", o.Kind, escape(o.Type), escape(o.Name))
}

func (o Operation) line() string { return escape(o.Method) + " " + escape(o.Place) }

// escape is a word in which spaces and the like are written %xx.
func escape(word string) string {
	var b strings.Builder
	for i := range len(word) {
		if c := word[i]; special(c) {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func special(c byte) bool { return c <= ' ' || c == '%' || c == ',' || c == 0x7f }

// Read reads a profile. The error of a file that is no profile is an [ecl.Errors], with the place
// in the file.
func Read(name string) (*Profile, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s", name)
	}
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// Write writes the profile to a file: all of it, or nothing.
func (p *Profile) Write(name string) error { return WriteFile(name, p.Format()) }

// WriteFile writes a file: all of it, or nothing.
func WriteFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// errorAt is an error at a place in a file.
func errorAt(name string, line, column int, text string) error {
	return ecl.Errors{{Pos: token.Position{Filename: name, Line: line, Column: column}, Text: text}}
}
