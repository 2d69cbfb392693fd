// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
)

var (
	//go:embed page.gohtml
	pageText string
	//go:embed page.css
	style string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// A page is what the template is filled with.
type page struct {
	Policy template.HTMLAttr
	Style  template.CSS
	Part   string
	Groups []pageGroup
	Files  []pageFile
}

type pageGroup struct {
	Name, Type, Part string
	Done             bool
	Rows             []pageRow
}

type pageRow struct {
	First, Second, State, Words string
	FirstAt, SecondAt           string // ids of lines; "" if there are none
}

type pageFile struct {
	Name  string
	Lines []pageLine
	Found bool
}

type pageLine struct {
	Number int
	ID     string // "" if no operation is there
	Class  string
	Text   string
	Note   string // what ran there, and with what
}

// HTML writes a page with the pairs that count, and the source of the operations. It loads nothing,
// runs no script, and its content security policy allows only its own style. The same profile and
// the same source give the same bytes. O(n log n) in the profile and the source.
func HTML(w io.Writer, p *Profile, list []Group, from *Sources) error {
	m := &maker{ids: make(map[string]int)}
	m.collect(p)
	var packages []string
	for file := range m.files {
		packages = append(packages, packageOf(file))
	}
	slices.Sort(packages)
	from.find(slices.Compact(packages))
	c := page{Style: template.CSS(style), Part: Part(Sum(list))}
	sum := sha256.Sum256([]byte(style))
	// No attribute of the template has a quote of this text.
	c.Policy = template.HTMLAttr(fmt.Sprintf(`content="default-src 'none'; style-src 'sha256-%s'; `+
		`base-uri 'none'; form-action 'none'"`, base64.StdEncoding.EncodeToString(sum[:])))
	for i, file := range slices.Sorted(maps.Keys(m.files)) {
		m.ids[file] = i + 1
		c.Files = append(c.Files, m.file(file, from.lines(file)))
	}
	for i := range list {
		c.Groups = append(c.Groups, m.group(&list[i]))
	}
	return pageTemplate.Execute(w, c)
}

// A maker makes a page.
type maker struct {
	files map[string]map[int]*place
	ids   map[string]int // the numbers of files
}

// A place is a line with operations.
type place struct {
	ops          []string
	notes        []string
	covered, all int // of the pairs that ran there
}

func (m *maker) at(o Operation) *place {
	file, line := cutPlace(o.Place)
	if m.files == nil {
		m.files = make(map[string]map[int]*place)
	}
	if m.files[file] == nil {
		m.files[file] = make(map[int]*place)
	}
	if m.files[file][line] == nil {
		m.files[file][line] = new(place)
	}
	return m.files[file][line]
}

// collect notes what was run where.
func (m *maker) collect(p *Profile) {
	for _, o := range slices.SortedFunc(maps.Keys(p.ops), Object.compare) {
		for _, op := range slices.SortedFunc(maps.Keys(p.ops[o]), Operation.compare) {
			at := m.at(op)
			at.ops = append(at.ops, op.Method+" of "+(&Group{Object: o}).name())
		}
	}
	for _, pair := range slices.SortedFunc(maps.Keys(p.pairs), Pair.compare) {
		s := p.pairs[pair]
		r := Row{First: pair.First, Second: pair.Second, State: s, Example: pair}
		for i, op := range []Operation{pair.First, pair.Second} {
			if i == 1 && pair.First == pair.Second {
				break
			}
			at := m.at(op)
			at.all++
			if Covers(pair.Object.Kind, s) {
				at.covered++
			}
			other := []Operation{pair.Second, pair.First}[i]
			at.notes = append(at.notes, "with "+other.short()+": "+r.Words())
		}
	}
}

// id is the id of an operation's line.
func (m *maker) id(o Operation) string {
	file, line := cutPlace(o.Place)
	if m.ids[file] == 0 {
		return ""
	}
	return fmt.Sprintf("f%dl%d", m.ids[file], line)
}

// file is a file with its lines; only those with operations, if it isn't found.
func (m *maker) file(name string, lines []string) pageFile {
	f := pageFile{Name: name, Found: lines != nil}
	places := m.files[name]
	numbers := slices.Sorted(maps.Keys(places))
	if f.Found {
		numbers = nil
		for i := range lines {
			numbers = append(numbers, i+1)
		}
	}
	for _, n := range numbers {
		l := pageLine{Number: n}
		if n <= len(lines) {
			l.Text = strings.TrimSuffix(lines[n-1], "\r")
		}
		if at := places[n]; at != nil {
			l.ID = fmt.Sprintf("f%dl%d", m.ids[name], n)
			l.Class, l.Note = at.class(), at.note()
		}
		f.Lines = append(f.Lines, l)
	}
	return f
}

// class says how many of the pairs that ran at a place are covered: none, some or all.
func (at *place) class() string {
	switch {
	case at.covered == 0:
		return "none"
	case at.covered < at.all:
		return "some"
	}
	return "all"
}

// note says what ran at a place.
func (at *place) note() string {
	return strings.Join(append(slices.Clip(at.ops), at.notes...), "\n")
}

// group is a group of rows.
func (m *maker) group(g *Group) pageGroup {
	p := pageGroup{Name: g.name(), Type: g.Object.Type, Part: Part(g.Covered(), len(g.Rows)),
		Done: g.Covered() == len(g.Rows)}
	for i := range g.Rows {
		r := &g.Rows[i]
		x := pageRow{First: r.First.short(), Second: r.Second.short(), Words: r.Words(),
			State: "none"}
		if Covers(g.Object.Kind, r.State) {
			x.State = "all"
		} else if r.State >= Before {
			x.State = "some"
		}
		if r.State != NotRun {
			x.FirstAt, x.SecondAt = m.id(r.Example.First), m.id(r.Example.Second)
			if r.First.Method != r.Example.First.Method {
				x.FirstAt, x.SecondAt = x.SecondAt, x.FirstAt
			}
		} else {
			x.FirstAt, x.SecondAt = m.id(r.First), m.id(r.Second)
		}
		p.Rows = append(p.Rows, x)
	}
	return p
}
