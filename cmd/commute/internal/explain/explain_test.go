// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
			if !strings.Contains(text, want) && !(want == "Mend" && regexp.MustCompile("mistake|wait for").MatchString(text)) {
				t.Errorf("%s: the text has no %q", kind, want)
			}
		}
	}
}

// TestEffects wants a text for each effect that the engine names.
func TestEffects(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "runtime", "findings.go"))
	if err != nil {
		t.Fatal(err)
	}
	effects := regexp.MustCompile(`(?m)^\t(?:lostUpdate|duplicate|staleCheck|staleRead|dependent|arbitration) += "(.*)"$`).FindAllStringSubmatch(string(src), -1)
	if len(effects) != 6 {
		t.Fatalf("found %d effects, want 6", len(effects))
	}
	for _, e := range effects {
		if _, err := Text(e[1]); err != nil {
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
