// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// Schedules that are kept are files with this ending; by default in folder KeptFolder of their
// package, in a subfolder for each test.
const (
	FileEnding = ".schedule"
	KeptFolder = "testdata/explore"
)

// A File is the file of a schedule by which a test fails. It has a header, a line for each decision
// that is not the default, and a line for each arrival from outside.
//
//	commute-explore 1 <go version> <package> <test> seed <number> policy <policy> points <n>
//	  hash <hash>
//	d <decision> <choice> from <goroutine> <place> <kind> to <goroutine> <place> <kind>
//	x <point> <goroutine> came <turn> <number> <clock>
//	x <point> <goroutine> left <turn> <number> <calls>
//	x <point> <goroutine> asked <turn> <number> <times>
//	end
//
// The header is one line. A place is a file and a line, with a colon between; for a file in the
// package's folder, it has the file's name without the path. Places and kinds are those of the
// operation that the goroutine is about to make, "-" if there is none. Lines x have the fields of a
// [FileArrival]. Empty lines, and those that begin with #, are ignored.
type File struct {
	Go, Package, Test string
	Number            uint64
	Policy            engine.Policy // that has found it
	Points            int
	Hash              string
	Decisions         []FileDecision
	Arrivals          []FileArrival
}

// A FileDecision is a decision that was not the default.
type FileDecision struct {
	Decision, Choice int
	From, To         Stand
}

// A Stand is where a goroutine is.
type Stand struct{ Goroutine, Place, Kind string }

// none is a goroutine of which nothing is said.
var none = Stand{"-", "-", "-"}

// String is the text of the file.
func (f *File) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "commute-explore 1 %s %s %s seed %s policy %v points %d hash %s\n", f.Go,
		f.Package, f.Test, Seed{Number: f.Number}.number(), f.Policy, f.Points, f.Hash)
	for _, d := range f.Decisions {
		fmt.Fprintf(&b, "d %d %d from %v to %v\n", d.Decision, d.Choice, d.From, d.To)
	}
	for _, x := range f.Arrivals {
		fmt.Fprintf(&b, "%v\n", x)
	}
	b.WriteString("end\n")
	return b.String()
}

func (s Stand) String() string {
	return s.Goroutine + " " + s.Place + " " + s.Kind
}

// Seed is the seed of the run in the file.
func (f *File) Seed() Seed {
	s := Schedule{Number: f.Number}
	for _, d := range f.Decisions {
		s.Forces = append(s.Forces, engine.Force{Decision: uint32(d.Decision),
			Choice: uint32(d.Choice)})
	}
	return s.seed()
}

// file is the file of a schedule. Files of the program's are named as seen from its folder.
func (s *Schedule) file(version, pkg, test, dir string) *File {
	f := &File{Go: version, Package: pkg, Test: test, Number: s.Number, Policy: s.Policy,
		Points: s.Points, Hash: s.Hash, Arrivals: s.log.arrivals}
	for _, d := range s.log.decisions(dir) {
		if !d.usual {
			f.Decisions = append(f.Decisions, d.FileDecision)
		}
	}
	return f
}

// A decided is a decision of a run, with the point before it.
type decided struct {
	FileDecision
	of, point int
	usual     bool
}

// decisions are those of a run.
func (l *runLog) decisions(dir string) (list []decided) {
	stands := make(map[string]Stand)
	stand := func(name string) Stand {
		switch s, ok := stands[name]; {
		case ok:
			return s
		case name == "":
			return none
		}
		return Stand{name, "-", "begin"}
	}
	points := 0
	for _, s := range l.steps {
		switch s.kind {
		case about:
			points++
			stands[s.name] = Stand{s.name, placeIn(dir, s.at), fileWord(s.op.String())}
		case ended:
			delete(stands, s.name)
		case chosen:
			if s.decision != 0 {
				list = append(list, decided{FileDecision{s.decision, s.choice, stand(s.from),
					stand(s.name)}, s.of, points, s.usual})
			}
		}
	}
	return list
}

// placeIn is a place as files have it.
func placeIn(dir string, p place) string {
	if p.file == "" {
		return "-"
	}
	name := p.file
	if rel, err := filepath.Rel(dir, name); err == nil && !strings.HasPrefix(rel, "../../..") {
		name = filepath.ToSlash(rel)
	} else if _, rest, ok := strings.Cut(name, "/pkg/mod/"); ok {
		name = rest
	} else if _, rest, ok := strings.Cut(name, "/src/"); ok {
		name = rest
	}
	return fileWord(name + ":" + strconv.Itoa(p.line))
}

// fileWord makes a text one word.
func fileWord(s string) string {
	return strings.Join(strings.Fields(s), "_")
}

// Keep writes a schedule into the test's subfolder of a folder, and returns the file's name. The
// comments, which are the diagram, go to the file as well.
func (f *File) Keep(dir string, comments []string) (string, error) {
	text := f.String()
	sum := sha256.Sum256([]byte(text))
	dir = filepath.Join(dir, f.Test)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	header, rest, _ := strings.Cut(text, "\n")
	text = header + "\n"
	for _, c := range comments {
		text += strings.TrimRight("# "+c, " ") + "\n"
	}
	name := filepath.Join(dir, fmt.Sprintf("%x", sum[:8])+FileEnding)
	return name, os.WriteFile(name, []byte(text+rest), 0o666)
}
