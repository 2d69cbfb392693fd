// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"regexp"
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/silence"
	"github.com/commutego/commute/internal/trace"
)

// Rules are the suppressions for a recorded program: see docs/options.md.
type Rules []*regexp.Regexp

// ParseRules reads a file of suppressions: patterns, a line each, and comments after a #.
func ParseRules(text string) (rules Rules) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		rules = append(rules, silence.Compile(line))
	}
	return rules
}

// match reports whether a rule matches one of some texts.
func (rules Rules) match(texts ...string) bool {
	for _, r := range rules {
		for _, s := range texts {
			if s != "" && r.MatchString(s) {
				return true
			}
		}
	}
	return false
}

// hush reports whether a rule matches a function or a file in the stacks of some events, or the
// declaration of what calls are made on.
func (rules Rules) hush(p *trace.Program, events ...*event.Event) bool {
	if len(rules) == 0 || !p.Recorded() {
		return false
	}
	for _, e := range events {
		call, _ := p.CallAt(e.Pos)
		if rules.match(call.Site.Name) {
			return true
		}
		for _, f := range p.Stack(e.Pos) {
			if rules.match(f.Func, f.File) {
				return true
			}
		}
	}
	return false
}
