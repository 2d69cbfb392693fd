// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/section"
)

// The facts of a package stand in its archive between these texts. So they reach the packages that
// import it.
const (
	FactsBegin = "commute:sections\x01"
	FactsEnd   = "\x02commute"
)

// handedOn is for a package with facts: the facts, and how those that import it get at its touches.
const handedOn = `//go:norace
func commute_touchesHere() *[%d]commute_Touch { return &commute_touches }

var commute_sectionFacts = %q + %[3]q + %[4]q

`

// declareImported declares the function of an imported package that returns its touches.
const declareImported = `//go:linkname commute_imported%d %s.commute_touchesHere
func commute_imported%[1]d() *[%[3]d]commute_Touch

`

// imported lists the packages of which pairs have touches, each with one of these.
func (g *generator) imported() (list []*section.Remote) {
	for i := range g.reg.Funcs {
		for _, p := range g.reg.Funcs[i].Pairs {
			for _, at := range []*section.Remote{g.remote[p.Check], g.remote[p.Act]} {
				if at != nil && !slices.ContainsFunc(list,
					func(m *section.Remote) bool { return samePackage(m, at) }) {
					list = append(list, at)
				}
			}
		}
	}
	return list
}

func samePackage(a, b *section.Remote) bool { return a.Package == b.Package }

// listImported is a literal of the touches of imported packages.
func listImported(list []*section.Remote) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	for i := range list {
		fmt.Fprintf(&b, ", commute_imported%d()[:]", i)
	}
	return "[][]commute_Touch{" + b.String()[2:] + "}"
}

// escaped is an import path as it stands in the names of the linker's symbols: dots of the last
// element, and what is not plain, are written in hexadecimal.
func escaped(path string) string {
	var b strings.Builder
	last := strings.LastIndexByte(path, '/')
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c == '.' && i > last || c == '%' || c == '"' || c >= 0x7F {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
