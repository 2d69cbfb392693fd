// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"strconv"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A site is an operation with the number by which policy Pair knows it.
type site struct {
	op    Op
	short uint32
}

// readSite reads the words of a line w. The templates' exploreorders.go has the format.
func (t *told) readSite(f []string) {
	number, err := strconv.ParseUint(f[1], 16, 64)
	k, err2 := strconv.ParseUint(f[2], 10, 8)
	line, err3 := strconv.Atoi(f[3])
	fn, file := cutFunction(strings.Join(f[4:], " "))
	file = strings.ReplaceAll(file, " ", "%20") // else it is no word of a file of -explore_cover
	kind := kinds[engine.Kind(k)]
	if err != nil || err2 != nil || err3 != nil || kind == "" {
		return
	}
	if t.sites == nil {
		t.sites = make(map[string]site)
	}
	t.sites[f[1]] = site{Op{kind, fmt.Sprintf("%s/%s:%d", packageOf(fn, file), file, line)},
		engine.Site(number).Short()}
}

// cutFunction splits a function's name from what follows it after a space. The name of an instance
// has spaces in its brackets, as those of a struct.
func cutFunction(text string) (fn, rest string) {
	depth := 0
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ' ':
			if depth == 0 {
				return text[:i], text[i+1:]
			}
		}
	}
	return text, ""
}

// packageOf is the import path of the package of a function. A test's own package, as that of a
// folder m named m_test, counts as m.
func packageOf(fn, file string) string {
	fn, _, _ = strings.Cut(fn, "[") // types of an instance may be of other packages
	slash := strings.LastIndexByte(fn, '/') + 1
	name, _, _ := strings.Cut(fn[slash:], ".")
	path := fn[:slash] + strings.ReplaceAll(name, "%2e", ".")
	if strings.HasSuffix(file, "_test.go") {
		path = strings.TrimSuffix(path, "_test")
	}
	return path
}

// shorts are the numbers by which policy Pair knows operations.
func (t *told) shorts() map[Op]uint32 {
	list := make(map[Op]uint32)
	for _, s := range t.sites {
		if old, ok := list[s.op]; !ok || s.short < old {
			list[s.op] = s.short // several functions on a line
		}
	}
	return list
}

// readOrder notes an order of the last run, if it is known what its operations are.
func (t *told) readOrder(before, after string, decision, choice int) {
	a, ok1 := t.sites[before]
	b, ok2 := t.sites[after]
	if r := &t.runs[len(t.runs)-1]; ok1 && ok2 && a.op != b.op {
		r.orders = append(r.orders, order{Order{a.op, b.op}, decision, choice})
	}
}
