// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/term"
)

func TestTexts(t *testing.T) {
	for _, kind := range Kinds() {
		text, err := Text(kind)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(text, ":")
		if got := strings.ReplaceAll(first, " ", "-"); got != kind {
			t.Errorf("%s: the text begins with %q", kind, first)
		}
		if Summary(kind) == "" {
			t.Errorf("%s: no summary", kind)
		}
		for _, want := range []string{"\n\t", "Mend", "\n\n"} {
			if !strings.Contains(text, want) &&
				!(want == "Mend" && regexp.MustCompile("mistake|wait for").MatchString(text)) {
				t.Errorf("%s: the text has no %q", kind, want)
			}
		}
	}
}

// TestEffects wants a text for each effect that the engine names.
func TestEffects(t *testing.T) {
	for _, effect := range term.Severity {
		if _, err := Text(effect); err != nil {
			t.Error(err)
		}
	}
}

func TestUnknown(t *testing.T) {
	for kind, hint := range map[string]string{
		"":               "(there are arbitration, ",
		"nothing":        "(there are arbitration, ",
		"../explain":     "(there are arbitration, ",
		"text/atomicity": "(did you mean atomicity?)",
		"stale":          "(did you mean stale-check or stale-read?)",
		"lost updaet":    "(did you mean lost-update?)",
	} {
		if _, err := Text(kind); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: %v", kind, err)
		}
	}
	for _, kind := range []string{"Lost  Update", "lost", "data"} {
		if _, err := Text(kind); err != nil {
			t.Error(err)
		}
	}
}
