// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

const (
	diagramRows    = 12 // at most, but for the head
	diagramColumns = 4  // goroutines, at most
	diagramWidth   = 92 // of all columns
)

// An actKind says what a row of a diagram is.
type actKind uint8

const (
	does    actKind = iota // an operation
	stops                  // a forced switch, before an operation
	sleeps                 // for others, in an operation
	resumes                // after a forced switch that came after an operation
	turns                  // a forced switch where nobody has to stop: it goes on, and not another one
	ends                   // the goroutine is over
)

// An act is what a goroutine does, for a row of a diagram.
type act struct {
	kind   actKind
	name   string
	op     engine.Kind
	object int
	at     place
	shown  bool
}

// forced reports whether a row stands for a forced switch.
func (a act) forced() bool { return a.kind == stops || a.kind == turns }

// acts are what goroutines do, in order. A point is where an operation is about to be made; it is
// made when the goroutine goes on.
func (l *runLog) acts() (list []act) {
	ready := make(map[string]act) // what goroutines are about to do
	last := make(map[string]act)  // and what they did last
	current := ""
	for _, s := range l.steps {
		switch s.kind {
		case about:
			ready[s.name] = act{kind: does, name: s.name, op: s.op, object: s.object, at: s.at}
		case parked:
			if a, ok := last[s.name]; ok && (s.at.file != a.at.file || s.at.line != a.at.line) {
				a.op = engine.None // the library waits, as for input, or a later line sleeps
				last[s.name] = a
			}
		case ended:
			list = append(list, act{kind: ends, name: s.name})
			delete(last, s.name)
			if current == s.name {
				current = ""
			}
		case chosen:
			if a, ok := last[current]; ok && s.from == "" && current != s.name {
				a.kind = sleeps
				list = append(list, a)
			}
			if a, ok := ready[s.from]; ok && !s.usual && s.from != s.name {
				list = append(list, act{stops, a.name, a.op, a.object, a.at, false})
				if made(a.op) {
					a.kind = resumes
					ready[s.from] = a
				}
			}
			if s.from == "" && !s.usual {
				list = append(list, act{kind: turns, name: s.name})
			}
			if a, ok := ready[s.name]; ok {
				list = append(list, a)
				last[s.name] = a
				delete(ready, s.name)
			}
			current = s.name
		}
	}
	return list
}

// diagram is the schedule with a column for each goroutine that matters, and a row for each of
// their operations around the forced switches. It is nil if there is nothing to show.
func (s *Schedule) diagram() []string {
	list := joinWaits(s.log.acts())
	columns := columnsOf(list)
	list = slices.DeleteFunc(list, func(a act) bool { return !slices.Contains(columns, a.name) })
	order := byImportance(list)
	for most := min(diagramRows, len(order)); most > 0; most-- {
		for i := range list {
			list[i].shown = false
		}
		for _, i := range order[:most] {
			list[i].shown = true
		}
		if rows := drawing(list, columns); len(rows) <= diagramRows || most == 1 {
			return append(heads(list, columns), rows...)
		}
	}
	return nil
}

// heads are the rows above a diagram.
func heads(list []act, columns []string) []string {
	var words []string
	if file := oneFile(list); file != "" {
		words = append(words, "lines of "+filepath.Base(file))
	}
	if slices.ContainsFunc(list, act.forced) {
		words = append(words, "> is a forced switch")
	}
	head := ""
	for _, name := range columns {
		head += fmt.Sprintf("%-*s", diagramWidth/len(columns), "goroutine "+name)
	}
	if len(words) == 0 {
		return []string{strings.TrimRight(head, " ")}
	}
	return []string{"(" + strings.Join(words, "; ") + ")", strings.TrimRight(head, " ")}
}

// oneFile is the file of all rows that are shown, "" if there are several.
func oneFile(list []act) (file string) {
	for _, a := range list {
		switch {
		case !a.shown || a.at.file == "":
		case file == "":
			file = a.at.file
		case file != a.at.file:
			return ""
		}
	}
	return file
}

// drawing are the rows of a diagram.
func drawing(list []act, columns []string) (rows []string) {
	src := make(source)
	width := diagramWidth / len(columns)
	short := oneFile(list) != ""
	for i := 0; i < len(list); {
		name, text, n := list[i].name, "", 1
		if list[i].shown {
			text = list[i].text(src, short)
		} else {
			for i+n < len(list) && !list[i+n].shown && list[i+n].name == name {
				n++
			}
			text = folded(list[i : i+n])
		}
		if text != "" {
			at := slices.Index(columns, name) * width
			rows = append(rows, strings.Repeat(" ", at)+cutText(text, diagramWidth-at,
				at+width < diagramWidth, width-2))
		}
		i += n
	}
	return rows
}

// cutText shortens a text that has no room: the last column has all that is left.
func cutText(text string, rest int, more bool, width int) string {
	if more {
		rest = width
	}
	if len(text) <= rest {
		return text
	}
	return strings.TrimRight(text[:rest-4], " ") + " ..."
}

// folded stands for rows that are left out.
func folded(list []act) string {
	n := 0
	for _, a := range list {
		if a.kind == does || a.kind == sleeps && blocks(a.op) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return "... " + count(n, "operation")
}

// columnsOf are the goroutines that matter: those of forced switches, and those that use what these
// were about to use, but not the one that has started them. Without a switch it is all that do
// something.
func columnsOf(list []act) (columns []string) {
	var objects []int
	take := func(name string) {
		if !slices.Contains(columns, name) && len(columns) < diagramColumns {
			columns = append(columns, name)
		}
	}
	for i, a := range list {
		if !a.forced() {
			continue
		}
		if a.object != 0 {
			objects = append(objects, a.object)
		}
		take(a.name)
		for _, next := range list[i+1:] {
			if next.name != a.name {
				take(next.name)
				break
			}
		}
	}
	switched := slices.Clone(columns)
	for _, a := range list {
		parent := slices.ContainsFunc(switched, func(name string) bool {
			return a.name == mainName || strings.HasPrefix(name, a.name+".")
		})
		if !parent && a.kind == does && a.object != 0 &&
			(len(switched) == 0 || slices.Contains(objects, a.object)) {
			take(a.name)
		}
	}
	if len(switched) == 0 && len(columns) > 2 {
		columns = slices.DeleteFunc(columns, func(name string) bool {
			return strings.HasPrefix(columns[len(columns)-1], name+".") // it has started the others
		})
	}
	slices.SortFunc(columns, comparePaths)
	return columns
}

// comparePaths compares names of goroutines: 1.2 comes before 1.10.
func comparePaths(a, b string) int {
	one, other := strings.Split(a, "."), strings.Split(b, ".")
	return slices.CompareFunc(one, other, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// byImportance are the rows that may be shown, the most important first: forced switches, and what
// goroutines do with objects that others use, too. What is nearest to a switch comes first.
func byImportance(list []act) (order []int) {
	users := make(map[int]map[string]bool)
	for _, a := range list {
		if a.object != 0 {
			if users[a.object] == nil {
				users[a.object] = make(map[string]bool)
			}
			users[a.object][a.name] = true
		}
	}
	distance := make([]int, len(list))
	switches := slices.ContainsFunc(list, act.forced)
	for i, a := range list {
		if a.kind == ends || a.kind == does && len(users[a.object]) < 2 && !beforeStop(list, i) ||
			a.kind == sleeps && !blocks(a.op) && switches {
			continue
		}
		order = append(order, i)
		if a.forced() {
			continue
		}
		distance[i] = len(list) - i // to the end, where it fails
		for j := range list {
			if list[j].forced() {
				distance[i] = min(distance[i], max(i-j, j-i))
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return distance[i] - distance[j] })
	return order
}

// made reports whether an operation of a kind has been made at its point.
func made(k engine.Kind) bool { return k == engine.Go || k == engine.Observed }

// blocks reports whether a goroutine may wait in an operation of a kind.
func blocks(k engine.Kind) bool {
	switch k {
	case engine.Go, engine.Atomic, engine.Close, engine.Signal, engine.Observed,
		engine.Transaction, engine.None:
		return false
	}
	return true
}

// joinWaits makes one row of an operation and the wait in it.
func joinWaits(list []act) (joined []act) {
	for _, a := range list {
		if n := len(joined) - 1; a.kind == sleeps && blocks(a.op) && n >= 0 &&
			joined[n].name == a.name && joined[n].kind == does {
			joined = joined[:n]
		}
		joined = append(joined, a)
	}
	return joined
}

// beforeStop reports whether an act is the last that its goroutine does before it is stopped.
func beforeStop(list []act, i int) bool {
	for _, a := range list[i+1:] {
		if a.name == list[i].name {
			return a.kind == stops
		}
	}
	return false
}

// text is the row of an act. The name of the file may be left out.
func (a act) text(src source, short bool) string {
	where := fmt.Sprintf("%d  %s", a.at.line, src.line(a.at.file, a.at.line))
	switch {
	case a.at.file == "":
		where = a.op.String()
	case !short:
		where = filepath.Base(a.at.file) + ":" + where
	}
	switch {
	case a.kind == turns:
		return "> goes on"
	case a.kind == resumes:
		return "(goes on)"
	case a.kind == stops && made(a.op):
		return "> after " + where
	case a.kind == stops:
		return "> before " + where
	case a.kind == sleeps && blocks(a.op):
		return where + " (waits)"
	case a.kind == sleeps:
		return "(waits)"
	case a.kind == ends:
		return "(ends)"
	}
	return where
}

// A source is the lines of files.
type source map[string][]string

// line is a line of a file, counted from 1, without what indents it; "" if there is none.
func (s source) line(file string, n int) string {
	lines, ok := s[file]
	if !ok {
		text, err := os.ReadFile(file)
		if err == nil {
			lines = strings.Split(string(text), "\n")
		}
		s[file] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.Join(strings.Fields(lines[n-1]), " ")
}
