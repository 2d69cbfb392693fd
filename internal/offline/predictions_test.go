// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// predictedTrace is the text of a trace with predictions.
func predictedTrace(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/predicted.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// foundIn is what the checks of a trace find, a line each: the check, the code and the evidence.
func foundIn(t *testing.T, text string, o Options) (list []string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "t.txt")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Open(name, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var count atomic.Uint64
	r, err := Run(f, o, &count)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Checks {
		if !r.Checks[i].Data {
			list = append(list, r.Checks[i].Name+" has no data")
		}
		for _, x := range r.Checks[i].Reports(f) {
			if x.Kind == report.AtomicityViolation {
				_, code, _ := strings.Cut(x.Transactions[0].Name, ").")
				list = append(list, x.Check+" "+code+" "+string(x.Evidence))
			}
		}
	}
	return list
}

// TestPredictions wants a violation that has happened not to be predicted, too, unless nobody asks
// whether it has happened.
func TestPredictions(t *testing.T) {
	text := predictedTrace(t)
	got := foundIn(t, text, Options{All: true})
	want := []string{
		"transactions Close observed", "predictions Deposit predicted", "calls has no data",
	}
	if !slices.Equal(got, want) {
		t.Errorf("all checks: %q, want %q", got, want)
	}
	checks, err := Named([]string{"predictions"})
	if err != nil {
		t.Fatal(err)
	}
	got = foundIn(t, text, Options{All: true, Checks: checks})
	want = []string{"predictions Close predicted", "predictions Deposit predicted"}
	if !slices.Equal(got, want) {
		t.Errorf("this check alone: %q, want %q", got, want)
	}
	got = foundIn(t, text, Options{Checks: checks})
	if !slices.Equal(got, want[:1]) {
		t.Errorf("the first: %q, want %q", got, want[:1])
	}
	got = foundIn(t, text, Options{All: true, Checks: checks, Rules: ParseRules("*Withdraw")})
	if len(got) != 0 {
		t.Errorf("suppressed: %q", got)
	}
}

// TestPredictionsOfOlder wants no prediction of a trace that says nothing of locks, by default or
// if one asks for it.
func TestPredictionsOfOlder(t *testing.T) {
	text := strings.Replace(predictedTrace(t), "Meta key=\"locks\" value=\"all\"\n", "", 1)
	got := foundIn(t, text, Options{All: true})
	want := []string{"transactions Close observed", "calls has no data"}
	if !slices.Equal(got, want) {
		t.Errorf("all checks: %q, want %q", got, want)
	}
	checks, err := Named([]string{"predictions"})
	if err != nil {
		t.Fatal(err)
	}
	got = foundIn(t, text, Options{All: true, Checks: checks})
	if !slices.Equal(got, []string{"predictions has no data"}) {
		t.Errorf("this check alone: %q", got)
	}
}
