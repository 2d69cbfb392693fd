// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"

	"github.com/commutego/commute/internal/soak/plan"
)

// An access is the source by which a variable of a type is accessed, to which p points. It has a
// statement that writes v, and an expression that reads.
type access struct{ write, read string }

var accesses = [plan.Types]access{
	plan.Int64:   {"*(*int64)(p) = int64(v)", "int(*(*int64)(p))"},
	plan.Packed:  {"*(*byte)(p) = byte(v)", "int(*(*byte)(p))"},
	plan.Uint16:  {"*(*uint16)(p) = uint16(v)", "int(*(*uint16)(p))"},
	plan.Float64: {"*(*float64)(p) = float64(v)", "int(*(*float64)(p))"},
	plan.Complex: {"*(*complex128)(p) = complex(float64(v), 1)", "int(real(*(*complex128)(p)))"},
	plan.String:  {"*(*string)(p) = machine.Text[:v]", "machine.Length(*(*string)(p))"},
	plan.Slice:   {"*(*[]byte)(p) = machine.Bytes[:v]", "machine.Length(*(*[]byte)(p))"},
	plan.Struct: {"*(*machine.Three)(p) = machine.Three{A: int64(v), B: 1}",
		"machine.Sum(*(*machine.Three)(p))"},
	plan.Array:   {"*(*[5]int32)(p) = [5]int32{int32(v)}", "int((*(*[5]int32)(p))[0])"},
	plan.Pointer: {"*(**int)(p) = &machine.Numbers[v]", "machine.Number(*(**int)(p))"},
	plan.Element: {"(*(*[]int)(p))[1] = v", "(*(*[]int)(p))[1]"},
	plan.Global:  {"*(*int64)(p) += int64(v) - *(*int64)(p)", "int(*(*int64)(p))"},
	plan.Any:     {"*(*any)(p) = v", "(*(*any)(p)).(int)"},
	plan.Table:   {"(*(*map[int]int)(p))[1] = v", "(*(*map[int]int)(p))[1]"},
}

// The names of the functions that have the accesses of a site, and the transactions.
const (
	readName   = "r_%d_%d" // type, site
	writeName  = "w_%d_%d"
	wholeName  = "whole_%d"
	splitName  = "split_%d"
	meddleName = "meddle_%d"
)

const sitesHead = `package main

import (
	"sync"
	"unsafe"

	"github.com/commutego/commute/internal/soak/machine"
)

func main() { machine.Main(&sites) }

var sites machine.Sites
`

// sitesSource is the main file of the machine: a function for each access of each site, and
// transactions, which may be marked as such.
func sitesSource(marked bool) []byte {
	var b, table bytes.Buffer
	b.WriteString(sitesHead)
	accessFunctions(&b, &table)
	transactions(&b, &table, marked)
	fmt.Fprintf(&b, "\nfunc init() {\n%s}\n", table.Bytes())
	return b.Bytes()
}

// transactions writes functions that are marked as atomic, or not, and what puts them into the
// table.
func transactions(b, table *bytes.Buffer, marked bool) {
	mark := "//atomic"
	if !marked {
		mark = "//"
	}
	for s := range plan.SitesPerType {
		whole, split, meddle := fmt.Sprintf(wholeName, s), fmt.Sprintf(splitName, s),
			fmt.Sprintf(meddleName, s)
		fmt.Fprintf(b, "%s\nfunc %s(mu *sync.Mutex, p *int64) { mu.Lock(); *p++; mu.Unlock() }\n\n",
			mark, whole)
		fmt.Fprintf(b, "%s\nfunc %s(mu *sync.Mutex, p *int64, gap func()) {\n%s}\n\n", mark, split,
			splitBody)
		fmt.Fprintf(b, "func %s(mu *sync.Mutex, p *int64) { mu.Lock(); *p += 10; mu.Unlock() }\n",
			meddle)
		fmt.Fprintf(table, "\tsites.Txns = append(sites.Txns, machine.Txns{%s, %s, %s})\n", whole,
			split, meddle)
	}
}

const splitBody = "\tmu.Lock()\n\tv := *p\n\tmu.Unlock()\n\tgap()\n\tmu.Lock()\n\t*p = v + " +
	"1\n\tmu.Unlock()\n"

// accessFunctions writes the functions that access variables, and what puts them into the table.
func accessFunctions(b, table *bytes.Buffer) {
	for t, a := range accesses {
		for s := range plan.SitesPerType {
			r, w := fmt.Sprintf(readName, t, s), fmt.Sprintf(writeName, t, s)
			if plan.Type(t) == plan.MapKey {
				store := []string{"m.Store(key, v)", "m.Swap(key, v)"}[s%2]
				fmt.Fprintf(b, "func %s(m *sync.Map, key int) int { v, _ := m.Load(key); n, _ := "+
					"v.(int); return n }\n", r)
				fmt.Fprintf(b, "func %s(m *sync.Map, key, v int) { %s }\n", w, store)
				fmt.Fprintf(table, "\tsites.Calls = append(sites.Calls, machine.Calls{%s, %s})\n",
					r, w)
				continue
			}
			fmt.Fprintf(b, "func %s(p unsafe.Pointer) int { return %s }\n", r, a.read)
			fmt.Fprintf(b, "func %s(p unsafe.Pointer, v int) { %s }\n", w, a.write)
			fmt.Fprintf(table,
				"\tsites.Memory[%d] = append(sites.Memory[%d], machine.Memory{%s, %s})\n", t, t, r,
				w)
			if plan.Type(t) == plan.Global {
				fmt.Fprintf(b, "var global%d int64\n", s)
				fmt.Fprintf(table, "\tmachine.Globals[%d] = unsafe.Pointer(&global%d)\n", s, s)
			}
		}
	}
}
