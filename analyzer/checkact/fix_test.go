// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"testing"

	"github.com/commutego/commute/analyzer/internal/fixtest"
)

// TestFixes compares what the fixes make of the source with what they should.
func TestFixes(t *testing.T) {
	setLevel(t, All)
	fixtest.Golden(t, Analyzer)
}

// transcript calls the functions of package fixes in a random order, by one goroutine, and prints
// what they return and what is in the map then.
const transcript = `package fixes

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

func call(f func(m *sync.Map, k, n int) any, m *sync.Map, k, n int) (r any) {
	defer func() {
		if recover() != nil {
			r = "panic"
		}
	}()
	return f(m, k, n)
}

func TestTranscript(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	values := []any{1, 2, 3, "x", 1.5, nil, []int{1}}
	for range 20000 {
		m := new(sync.Map)
		for k := range random.IntN(4) {
			v := values[random.IntN(len(values))]
			if random.IntN(2) == 0 {
				v = random.IntN(4)
			}
			m.Store(k, v)
		}
		i, k, n := random.IntN(len(Functions)), random.IntN(4), random.IntN(4)
		r := call(Functions[i], m, k, n)
		all := make(map[any]string)
		m.Range(func(k, v any) bool {
			if o, ok := v.(*object); ok && o != nil {
				v = *o
			}
			all[k] = fmt.Sprintf("%T %[1]v", v)
			return true
		})
		if r == "panic" {
			clear(all) // what came before is by the order of Range
		}
		fmt.Println(i, k, n, r, all)
	}
}
`

// TestFixedBehaves runs the functions before and after the fixes: they compile, and one goroutine
// sees no difference.
func TestFixedBehaves(t *testing.T) { fixtest.Behaves(t, transcript, 20000) }
