// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/format/location"
)

// around is how many lines are shown before and after the one that a finding is about.
const around = 4

// maxFile is the size of a source file, in bytes, up to which it is read.
const maxFile = 4 << 20

// sources reads source files, each once.
type sources struct {
	dir   string // the working directory
	root  location.Root
	read  func(name string) ([]byte, error)
	files map[string][]string // lines by path; nil if it can't be read
}

func newSources(root location.Root) *sources {
	dir, err := os.Getwd()
	if err != nil {
		dir = root.Dir()
	}
	return &sources{dir: dir, root: root, read: readSource, files: make(map[string][]string)}
}

// readSource reads a file of Go, and no other: what a trace names may be any file.
func readSource(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if filepath.Ext(name) != ".go" || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, os.ErrInvalid
	}
	return os.ReadFile(name)
}

// lines are those of a file, nil if it can't be read. A relative path is looked for in the working
// directory, then in the root.
func (s *sources) lines(file string) []string {
	if lines, ok := s.files[file]; ok {
		return lines
	}
	var lines []string
	if data := s.data(file); data != nil {
		text := strings.TrimSuffix(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))), "\n")
		lines = strings.Split(text, "\n")
	}
	s.files[file] = lines
	return lines
}

func (s *sources) data(file string) []byte {
	for _, name := range s.candidates(file) {
		if data, err := s.read(name); err == nil {
			return data
		}
	}
	return nil
}

func (s *sources) candidates(file string) (list []string) {
	if filepath.IsAbs(file) {
		return []string{file}
	}
	list = append(list, filepath.Join(s.dir, file))
	if inside, ok := s.root.Path(file); ok {
		if name := filepath.Join(s.root.Dir(), filepath.FromSlash(inside)); name != list[0] {
			list = append(list, name)
		}
	}
	return list
}

// short is a path as it is in the root, if it is in it.
func (s *sources) short(file string) string {
	path, _ := s.root.Path(file)
	return path
}

// shortPlace is short of "file:line".
func (s *sources) shortPlace(at string) string {
	if file, line, ok := splitPlace(at); ok {
		return s.short(file) + ":" + strconv.Itoa(line)
	}
	return at
}

// splitPlace splits "file:line" and "file:line:column".
func splitPlace(at string) (file string, line int, ok bool) {
	p := location.Split(at)
	return p.File, p.Line, p.File != "" && p.Line > 0
}
