// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Source is the text that s was read from.
func (s *Spec) Source() string { return strings.Join(s.source, "\n") }

// Again parses the source of s again, for a type with another name. The type header, if there is
// one, stays the same.
func (s *Spec) Again(path, name string) (*Spec, error) {
	list, err := Parse(s.sourceAt.Filename, s.sourceAt.Line, s.sourceAt.Column, s.Source())
	if err != nil {
		return nil, err
	}
	list[0].Path, list[0].Name = path, name
	return list[0], nil
}

// Pack returns s in a form for [Unpack].
func (s *Spec) Pack() string {
	return fmt.Sprintf("%s\n%d\n%d\n%s\n%s", s.sourceAt.Filename, s.sourceAt.Line,
		s.sourceAt.Column, s.Name, s.Source())
}

// Unpack reads a specification, of a type of package path, in the form of [Spec.Pack].
func Unpack(path, text string) (*Spec, error) {
	f := strings.SplitN(text, "\n", 5)
	if len(f) < 5 {
		return nil, fmt.Errorf("not a specification: %q", text)
	}
	line, err1 := strconv.Atoi(f[1])
	column, err2 := strconv.Atoi(f[2])
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	list, err := Parse(f[0], line, column, f[4])
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("not one specification: %q", text)
	}
	list[0].Path, list[0].Name = path, f[3]
	return list[0], nil
}
