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
	log                                 *runLog
}

// A choice is a decision of a run by default.
type choice struct {
	candidates int
	hot        bool
	hash       string // before it
}

// A told is what is told of the runs of a batch.
type told struct {
	runs    []run    // that have begun
	choices []choice // of the last run by default
}

// readTold reads the file that a program has written. The templates' explorerun.go has the format.
// What is cut off is left out.
func readTold(path string) (t told) {
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
		case f[0] == "c" && len(f) == 5:
			if f[1] == "1" {
				t.choices = nil
			}
			t.choices = append(t.choices, choice{number(2), f[3] == "1", f[4]})
		case f[0] == "r" && len(f) == 9 && number(1) == len(t.runs)-1:
			r := &t.runs[number(1)]
			*r = run{true, f[2], f[6], number(3), number(4), number(5), number(7), number(8), r.log}
		case len(t.runs) > 0:
			t.runs[len(t.runs)-1].readLog(f, line)
		}
	}
	return t
}
