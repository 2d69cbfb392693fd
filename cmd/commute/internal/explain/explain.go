// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package explain has a text for each kind of finding: its meaning, an example, and how to fix it.
//
// Input: the name of a kind as reports have it. Output: a text, whose first line has the name and a
// summary.
package explain

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/commutego/commute/internal/suggest"
)

//go:embed text/*.txt
var texts embed.FS

// Kinds lists the names of all kinds, sorted.
func Kinds() (names []string) {
	entries, err := texts.ReadDir("text")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// Text returns the text of a kind, given by its name or by a prefix of only one name. Spaces and
// dashes in its name are alike, and so are small and capital letters. A potential deadlock is a
// deadlock, and a leaked goroutine a leak.
func Text(kind string) (string, error) {
	name := strings.ToLower(strings.Join(strings.Fields(kind), "-"))
	name = strings.TrimPrefix(name, "potential-")
	if name == "leaked-goroutine" {
		name = "leak"
	}
	var matching []string
	for _, k := range Kinds() {
		if k == name {
			matching = []string{k}
			break
		}
		if strings.HasPrefix(k, name) {
			matching = append(matching, k)
		}
	}
	hint := "there are " + strings.Join(Kinds(), ", ")
	switch {
	case len(matching) == 1:
		data, err := texts.ReadFile(path.Join("text", matching[0]+".txt"))
		return string(data), err
	case len(matching) > 1 && name != "":
		hint = "did you mean " + strings.Join(matching, " or ") + "?"
	case suggest.Nearest(name, Kinds()) != "":
		hint = "did you mean " + suggest.Nearest(name, Kinds()) + "?"
	}
	return "", fmt.Errorf("there is no kind of finding that is called %q (%s)", kind, hint)
}

// Summary is the first line of a kind's text, without its name.
func Summary(kind string) string {
	text, err := Text(kind)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(text, "\n")
	_, summary, _ := strings.Cut(line, ": ")
	return summary
}
