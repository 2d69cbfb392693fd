// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os"
	"strconv"
	"strings"
)

// A run is what is told of one.
type run struct {
	ended                               bool
	hash, prefix                        string
	points, decisions, forced, arrivals int
	random                              int // numbers drawn for the program
	came                                cameIn
	log                                 *runLog
	choices                             []choice // after what was forced
	orders                              []order  // that the process has not had before
	steps                               *steps   // nil if they are not known
}

// A choice is a decision of a run by default, or of one after what was forced.
type choice struct {
	candidates, usual int // usual is the default
	hot               bool
	hash              string // before it
}

// An order is one that a run has, with the choice of a decision by which the other one comes first.
type order struct {
	Order
	decision, choice int
}

// A told is what is told of the runs of a batch.
type told struct {
	runs  []run // that have begun
	sites map[string]site
}

// readTold reads the file that a program has written, of runs that were logged or not. The
// templates' explorerun.go has the format. What is cut off is left out.
func readTold(path string, logged bool) (t told) {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if !strings.HasSuffix(line, "\n") || len(f) == 0 {
			continue
		}
		number := func(i int) int {
			n, _ := strconv.Atoi(f[i])
			return n
		}
		switch {
		case f[0] == "b" && len(f) == 2:
			t.runs = append(t.runs, run{})
		case len(t.runs) == 0:
		case f[0] == "c" && len(f) == 6:
			r := &t.runs[len(t.runs)-1]
			r.choices = append(r.choices, choice{number(2), number(3), f[4] == "1", f[5]})
		case f[0] == "w" && len(f) >= 6:
			t.readSite(f)
		case f[0] == "o" && len(f) == 5:
			t.readOrder(f[1], f[2], number(3), number(4))
		case f[0] == "t" && len(f) > 1:
			t.runs[len(t.runs)-1].steps = parseSteps(f[1:])
		case f[0] == "r" && len(f) == 9 && number(1) == len(t.runs)-1:
			r := &t.runs[number(1)]
			*r = run{true, f[2], f[6], number(3), number(4), number(5), number(7), number(8), r.came,
				r.log, r.choices, r.orders, r.steps}
		case !logged:
			t.runs[len(t.runs)-1].came.read(f)
		default:
			t.runs[len(t.runs)-1].readLog(f, line)
		}
	}
	return t
}
