// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// sourceFiles are the files of the program that were read so far. They are kept for ever. What
// reports show of them is a few lines, so there is a limit to their number and to what they take.
var sourceFiles struct {
	lock  offheap.Guard
	n     int
	bytes int
	list  [maxSources]struct {
		path string
		text string // empty if it can't be read
	}
}

const (
	maxSources = 256
	maxSource  = 8 << 20 // bytes
)

// maxCode is how many bytes of a line are shown.
const maxCode = 100

// Code is a line of a file of the program, without the white space around it. It is empty if the
// line is, or if the file can't be read: it is found by an absolute path only, so that a program
// that was built with -trimpath shows no other program's lines. Lines count from 1.
func Code(path string, line int) (code string, cut bool) {
	if !isAbsolute(path) {
		return "", false
	}
	rest := sourceText(path)
	for range line - 1 {
		_, rest = text.Cut(rest, '\n')
	}
	code, _ = text.Cut(rest, '\n')
	for code != "" && isSpace(code[0]) {
		code = code[1:]
	}
	for code != "" && isSpace(code[len(code)-1]) {
		code = code[:len(code)-1]
	}
	if len(code) <= maxCode {
		return code, false
	}
	n := maxCode
	for n > 0 && code[n]&0xC0 == 0x80 { // in the middle of a character
		n--
	}
	return code[:n], true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// isAbsolute reports whether a path doesn't depend on the folder that the program runs in.
func isAbsolute(path string) bool {
	return path != "" && path[0] == '/' ||
		len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
}

// sourceText is what a file has. It is read without the lock, as that may take long. Of two callers
// that have read it at once, the second one's copy is dropped.
func sourceText(path string) (content string) {
	content, room, known := keptText(path)
	if known || !room {
		return content
	}
	data, _ := host.ReadFile(path)
	return keepText(path, text.View(data))
}

// keptText looks a file up among those that were read. If it is not there, room says whether it may
// be read.
func keptText(path string) (content string, room, known bool) {
	s := &sourceFiles
	s.lock.Lock()
	content, known = findText(path)
	room = s.n < maxSources && s.bytes < maxSource
	s.lock.Unlock()
	return content, room, known
}

// keepText puts a file among those that were read, if there is room, and returns what it has.
func keepText(path, content string) string {
	s := &sourceFiles
	s.lock.Lock()
	if first, known := findText(path); known {
		content = first
	} else if s.n < maxSources {
		s.list[s.n].path, s.list[s.n].text = path, content
		s.bytes += len(content)
		s.n++
	}
	s.lock.Unlock()
	return content
}

// findText looks a file up; the lock is held.
func findText(path string) (content string, known bool) {
	for i := range sourceFiles.n {
		if f := &sourceFiles.list[i]; f.path == path {
			return f.text, true
		}
	}
	return "", false
}
