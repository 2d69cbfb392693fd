// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A FileError is an error in the file of a schedule, with its place.
type FileError struct {
	Name         string
	Line, Column int // from 1, in bytes
	Cause, Mend  string
}

func (e *FileError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", e.Name, e.Line, e.Column, e.Cause, e.Mend)
}

// What can be done about a file.
const (
	mendKeep   = "it has to be as -explore_schedules has written it; restore it, or find it anew"
	mendNewer  = "use the release of commute that has written it, or find it anew with -explore"
	mendWhole  = "the file is cut; restore it, or find it anew with -explore"
	mostInFile = 1 << 20 // lines
)

// A fileParser reads a file of a schedule.
type fileParser struct {
	name  string
	line  int
	text  string // the line
	at    int    // the byte of the line after what was read
	begin int    // and that where the last word begins
	err   *FileError
}

// ReadFile reads the file of a schedule. Errors are [*FileError], or of the system.
func ReadFile(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return ParseFile(name, string(text))
}

// ParseFile reads the text of a file. Errors are [*FileError].
func ParseFile(name, text string) (*File, error) {
	p := &fileParser{name: name}
	f := new(File)
	header, end := false, false
	for line := range strings.Lines(text) {
		p.line++
		p.text, p.at, p.begin = strings.TrimSuffix(line, "\n"), 0, 0
		cut := !strings.HasSuffix(line, "\n")
		switch blank := strings.TrimSpace(p.text); {
		case cut:
			p.begin = len(p.text)
			p.fail("the last line has no end", mendWhole)
		case strings.HasPrefix(p.text, "#") || blank == "":
			continue
		case end:
			p.fail("there is more after the end", mendKeep)
		case !header:
			header = true
			p.header(f)
		case p.line > mostInFile:
			p.fail("there are too many lines", mendKeep)
		default:
			end = p.entry(f)
		}
		if p.err != nil {
			return nil, p.err
		}
	}
	if !end {
		p.line++
		p.text, p.begin = "", 0
		what := "the line \"end\" is missing"
		if !header {
			what = "there is no schedule in it"
		}
		p.fail(what, mendWhole)
		return nil, p.err
	}
	return f, nil
}

// fail notes what is wrong with the last word. The first mistake counts.
func (p *fileParser) fail(cause, mend string) {
	if p.err == nil {
		p.err = &FileError{p.name, p.line, p.begin + 1, cause, mend}
	}
}

// word reads a word. What it has to be is for errors.
func (p *fileParser) word(what string) string {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
	p.begin = p.at
	for p.at < len(p.text) && p.text[p.at] != ' ' {
		p.at++
	}
	word := p.text[p.begin:p.at]
	switch {
	case word == "":
		p.fail("the line ends, and "+what+" is missing", mendWhole)
	case strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		p.fail(fmt.Sprintf("%q is not %s", word, what), mendKeep)
	}
	return word
}

// expect reads a word that has to be there.
func (p *fileParser) expect(word string) {
	if got := p.word(strconv.Quote(word)); got != word {
		p.fail(fmt.Sprintf("want %q, and there is %q", word, got), mendKeep)
	}
}

// number reads a number from least on.
func (p *fileParser) number(what string, least int) int {
	word := p.word(what)
	n, err := strconv.ParseUint(word, 10, 31)
	if err != nil || int(n) < least || strconv.Itoa(int(n)) != word {
		p.fail(fmt.Sprintf("%q is not %s, from %d on", word, what, least), mendKeep)
	}
	return int(n)
}

// over expects the end of the line.
func (p *fileParser) over() {
	if rest := strings.TrimLeft(p.text[p.at:], " "); rest != "" {
		p.begin = len(p.text) - len(rest)
		p.fail(fmt.Sprintf("%q is too much", rest), mendKeep)
	}
}

func (p *fileParser) header(f *File) {
	p.expect("commute-explore")
	if v := p.word("a version"); v != "1" {
		p.fail(fmt.Sprintf("it is of version %s, and this commute reads version 1", v), mendNewer)
	}
	f.Go = p.word("a version of Go")
	f.Package = p.word("a package")
	f.Test = p.word("a test")
	if !strings.HasPrefix(f.Test, "Test") || strings.ContainsAny(f.Test, `/\.`) {
		p.fail(fmt.Sprintf("%q is no test function", f.Test), mendKeep)
	}
	p.expect("seed")
	var ok bool
	if f.Number, ok = parseNumber(p.word("a seed's number")); !ok {
		p.fail("a seed's number has 8 digits and letters, without I, L, O and U", mendKeep)
	}
	p.expect("policy")
	word := p.word("a policy")
	if f.Policy, ok = engine.PolicyOf(word); !ok {
		p.fail(fmt.Sprintf("there is no policy %q", word), mendNewer)
	}
	p.expect("points")
	f.Points = p.number("a number of points", 0)
	p.expect("hash")
	f.Hash = p.word("a hash")
	if n, err := strconv.ParseUint(f.Hash, 16, 64); err != nil ||
		strconv.FormatUint(n, 16) != f.Hash {
		p.fail(fmt.Sprintf("%q is no hash", f.Hash), mendKeep)
	}
	p.over()
}

// entry reads a line after the header. It reports whether that is the last one.
func (p *fileParser) entry(f *File) (end bool) {
	switch word := p.word("d, x or end"); word {
	case "d":
		f.Decisions = append(f.Decisions, p.decision(f))
	case "x":
		f.Arrivals = append(f.Arrivals, p.arrival(f))
	case "end":
		end = true
	default:
		p.fail(fmt.Sprintf("%q begins no line: want d, x or end", word), mendNewer)
	}
	p.over()
	return end
}

func (p *fileParser) decision(f *File) (d FileDecision) {
	d.Decision = p.number("the number of a decision", 1)
	if n := len(f.Decisions); n > 0 && d.Decision <= f.Decisions[n-1].Decision {
		p.fail("decisions are not in order", mendKeep)
	}
	d.Choice = p.number("the number of a candidate", 0)
	p.expect("from")
	d.From = p.stand()
	p.expect("to")
	d.To = p.stand()
	return d
}

// stand reads where a goroutine is.
func (p *fileParser) stand() (s Stand) {
	s.Goroutine = p.word("a goroutine")
	s.Place = p.word("a place")
	if at := strings.LastIndexByte(s.Place, ':'); s.Place != "-" && (at < 1 ||
		strings.Trim(s.Place[at+1:], "0123456789") != "" || at == len(s.Place)-1) {
		p.fail(fmt.Sprintf("%q is no place, as file.go:12", s.Place), mendKeep)
	}
	s.Kind = p.word("a kind of operation")
	return s
}

// Files lists the files of the schedules that are kept in the folder of a package, in order.
func Files(dir string) ([]string, error) {
	var list []string
	tests, err := os.ReadDir(dir + "/" + KeptFolder)
	if os.IsNotExist(err) {
		return nil, nil
	}
	for _, t := range tests {
		if !t.IsDir() || !strings.HasPrefix(t.Name(), "Test") {
			continue
		}
		name := dir + "/" + KeptFolder + "/" + t.Name()
		files, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if strings.HasSuffix(f.Name(), FileEnding) {
				list = append(list, name+"/"+f.Name())
			}
		}
	}
	slices.Sort(list)
	return list, err
}
