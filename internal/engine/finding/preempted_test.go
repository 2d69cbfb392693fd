// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

const engine = "github.com/commutego/commute/internal/engine/"

// TestTextsArePreempted looks at all that making a text may call. A goroutine that can be preempted
// makes it. If it were preempted with a spin lock held, hooks would wait for the lock with
// preemption disabled: they could wait for ever once the collector stops the world. So it takes an
// [offheap.Guard] only.
func TestTextsArePreempted(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, engine+"finding")
	if err != nil {
		t.Fatal(err)
	}
	prog, _ := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	prog.Build()
	all := ssautil.AllFunctions(prog)
	graph := vta.CallGraph(all, cha.CallGraph(prog))
	for fn := range all {
		if fn.String() == "(*"+engine+"finding.message).MakeText" {
			looked := &unguarded{seen: map[*callgraph.Node]bool{}}
			looked.from(graph.Nodes[fn], nil)
			for _, path := range looked.paths {
				t.Errorf("preempted with a lock held:\n\t%s", strings.Join(path, "\n\t"))
			}
			if len(looked.seen) < 100 {
				t.Errorf("MakeText calls %d functions", len(looked.seen))
			}
			return
		}
	}
	t.Fatal("no MakeText")
}

// unguarded looks for functions that must not be preempted.
type unguarded struct {
	seen  map[*callgraph.Node]bool
	paths [][]string // calls that lead to one, outermost first
}

func (u *unguarded) from(n *callgraph.Node, path []string) {
	if u.seen[n] {
		return
	}
	u.seen[n] = true
	name := strings.ReplaceAll(n.Func.String(), engine, "")
	path = append(path[:len(path):len(path)], name)
	switch {
	case strings.HasPrefix(name, "(*offheap.Guard)"):
		return
	case name == "(*offheap.Lock).Lock", name == "(*offheap.Lock).TryLock",
		strings.HasPrefix(name, "(*offheap.records)"):
		u.paths = append(u.paths, path)
		delete(u.seen, n) // each caller is told
		return
	}
	for _, e := range n.Out {
		u.from(e.Callee, path)
	}
}
