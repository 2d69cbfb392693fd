// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
)

// TestCommon holds what two lines have in common against all pairs of accesses that they may have
// made: it is named only if all of them that are of one thing are of that.
func TestCommon(t *testing.T) {
	clean(t)
	const names = 4
	r := rand.New(rand.NewSource(1))
	reg := &compiled.Registration{Path: "m",
		Lines: compiled.LineTable{Files: []string{"a.go", "b.go"}}}
	for i := range names {
		reg.Lines.Names = append(reg.Lines.Names, compiled.AccessName{Name: "T.f",
			Decl: fmt.Sprintf("a.go:%d", i)}) // only where they are declared tells them apart
	}
	const lines = 60
	may := make([][names + 1]bool, lines) // by line; index 0 is what has no name
	for l := range lines {
		for n := range names + 1 {
			if may[l][n] = r.Intn(3) == 0; may[l][n] {
				reg.Lines.Accesses = append(reg.Lines.Accesses, compiled.LineAccess{
					Line: uint32(l), Name: uint32(n), File: 1, Kind: compiled.Writes})
			}
			reg.Lines.Accesses = append(reg.Lines.Accesses, compiled.LineAccess{
				Line: uint32(l), Name: uint32(n), File: 1, Kind: compiled.Reads}, compiled.LineAccess{
				Line: uint32(l), Name: uint32(n), Kind: compiled.Writes})
		}
	}
	Keep(reg)
	at := func(line int) LineSet {
		return AccessedAt(host.Frame{Func: "m.F", File: "/src/b.go", Line: line}, compiled.Writes)
	}
	found := 0
	for i := range lines {
		for j := range lines {
			one, two := at(i), at(j)
			got := one.Common(&two)
			want := -1
			for _, n := range possible(may[i], may[j], names) {
				if want >= 0 && want != n {
					n = 0
				}
				if want = n; n == 0 {
					break
				}
			}
			switch {
			case got == nil && want > 0:
				t.Errorf("%v and %v: nothing is common, want %d", may[i], may[j], want)
			case got != nil && (want <= 0 || got.Decl != reg.Lines.Names[want-1].Decl):
				t.Errorf("%v and %v: %s is common, want %d", may[i], may[j], got.Decl, want)
			case got != nil:
				found++
			}
		}
	}
	if found < 100 {
		t.Errorf("%d were found", found)
	}
	none := AccessedAt(host.Frame{Func: "other.F", File: "/src/b.go", Line: 1}, compiled.Writes)
	if none.Common(&none) != nil {
		t.Error("of another package something is known")
	}
}

// possible are the things that two lines may both have accessed: 0 is one without a name. Of a line
// that lists no name nothing is known, and what has no name for one line may have one for another.
func possible(a, b [5]bool, names int) (list []int) {
	anything := func(s [5]bool) bool { return s[0] || s == [5]bool{} }
	for n := 1; n <= names; n++ {
		if (a[n] || anything(a)) && (b[n] || anything(b)) {
			list = append(list, n)
		}
	}
	if anything(a) && anything(b) {
		list = append(list, 0)
	}
	return list
}
