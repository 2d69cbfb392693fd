// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package pages reads the pages of the documentation, for tests that hold them against the tree
// and against what the command prints.
//
// Input: Markdown files. Output: their fenced blocks with the comments before them, their
// headings, and their links. A block that shows what a command prints has, in the line before it,
//
//	<!-- FOLDER$ COMMAND :: EDIT, EDIT -->
//
// with the folder, from the top of the repository, in which the command runs, and what is left out
// of its output (see Edit). A block of a file has <!-- FILE --> with the file's path.
package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Page is a Markdown file.
type Page struct {
	Name  string // its path from the top of the repository, with slashes
	Lines []string
}

// A Block is a fenced part of a page.
type Block struct {
	Page  *Page
	Begin int    // the index of the line after the opening fence
	End   int    // that of the closing fence
	Lang  string // what follows the opening fence
	Note  string // the comment in the line before, "" if there is none
}

// A Sample is a block that shows the output of a command.
type Sample struct {
	*Block
	Dir, Command string
	Edits        []string
}

// All reads the pages of the repository whose top folder is root.
func All(root string) ([]*Page, error) {
	names := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, name := range docs {
		names = append(names, "docs/"+filepath.Base(name))
	}
	var list []*Page
	for _, name := range names {
		p, err := Read(root, name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// Read reads one page.
func Read(root, name string) (*Page, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	return &Page{Name: name, Lines: lines}, nil
}

var comment = regexp.MustCompile(`^<!-- (.*) -->$`)

// Blocks lists the fenced blocks.
func (p *Page) Blocks() (list []*Block) {
	var open *Block
	for i, line := range p.Lines {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &Block{Page: p, Begin: i + 1, Lang: lang}
			if i > 0 {
				if m := comment.FindStringSubmatch(p.Lines[i-1]); m != nil {
					open.Note = m[1]
				}
			}
		case fence:
			open.End = i
			list = append(list, open)
			open = nil
		}
	}
	return list
}

// Text is what stands in the block.
func (b *Block) Text() string {
	return strings.Join(b.Page.Lines[b.Begin:b.End], "\n") + "\n"
}

// Place is where the block begins.
func (b *Block) Place() string { return fmt.Sprintf("%s:%d", b.Page.Name, b.Begin+1) }

// Samples lists the blocks that show what a command prints: those in no language.
func (p *Page) Samples() (list []*Sample, err error) {
	for _, b := range p.Blocks() {
		if b.Lang != "" {
			continue
		}
		s := &Sample{Block: b}
		command, edits, _ := strings.Cut(b.Note, " :: ")
		var ok bool
		if s.Dir, s.Command, ok = strings.Cut(command, "$ "); !ok {
			return nil, fmt.Errorf("%s: before a block in no language stands "+
				"<!-- FOLDER$ COMMAND -->, not %q", b.Place(), b.Note)
		}
		for edit := range strings.SplitSeq(edits, ", ") {
			if edit != "" {
				s.Edits = append(s.Edits, edit)
			}
		}
		list = append(list, s)
	}
	return list, nil
}

// Prose calls f with each line outside of fenced blocks, and its number.
func (p *Page) Prose(f func(number int, line string)) {
	inside := false
	for i, line := range p.Lines {
		if strings.HasPrefix(line, "```") {
			inside = !inside
		} else if !inside {
			f(i+1, line)
		}
	}
}

// A Link is a link to a file of the repository.
type Link struct {
	Line   int
	Target string // as it is written
}

var (
	link = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	code = regexp.MustCompile("`[^`]*`")
)

// Links lists the links of a page, but for those to other sites.
func (p *Page) Links() (list []Link) {
	p.Prose(func(number int, line string) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(line, "code"), -1) {
			if !strings.Contains(m[1], "://") {
				list = append(list, Link{number, m[1]})
			}
		}
	})
	return list
}

var (
	heading = regexp.MustCompile(`^#+ (.*)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// Anchors lists the anchors of the page's headings, as GitHub makes them.
func (p *Page) Anchors() (list []string) {
	p.Prose(func(_ int, line string) {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			return
		}
		a := dropped.ReplaceAllString(strings.ToLower(m[1]), "")
		a = strings.ReplaceAll(a, " ", "-")
		first := a
		for n := 1; slices.Contains(list, a); n++ {
			a = fmt.Sprintf("%s-%d", first, n)
		}
		list = append(list, a)
	})
	return list
}
