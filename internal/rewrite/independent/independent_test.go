// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package independent

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// The functions whose names begin with yes are value-independent, and those whose names begin with
// no are not.
const source = `package p

import (
	"fmt"
	"sync"
	"time"
)

type account struct {
	mu    sync.Mutex
	sum   int
	name  string
	next  *account
	other *sync.Mutex
	all   map[string]int
	list  []int
	hist  [4]int
	inner struct{ sync.RWMutex; n, m int }
	err   error
}

type embeds struct{ *account }

type locker interface{ Lock() }

var total int
var first *account
var table map[string]int
var totals struct{ sync.Mutex; n int }

func (a *account) yesGet() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sum
}

func (a *account) yesSet(n int) {
	a.mu.Lock()
	a.sum = n
	a.mu.Unlock()
}

func (a *account) yesDeposit(n int) { a.yesSet(a.yesGet() + n) }

func yesFields(a *account, b *account, n int) (old int) {
	a.inner.RLock()
	x, y := a.inner.n, -a.inner.m
	var z = x*y + int(float64(x)/2)
	a.inner.RUnlock()
	time.Sleep(time.Millisecond)
	a.next = b
	a.inner.n++
	total += z % 3
	total = max(n, len(a.name), 1<<3)
	totals.Lock()
	totals.n--
	totals.Unlock()
	{
		b.yesSet(old)
	}
	return z
}

func noBranch(a *account) {
	if a.sum > 0 {
		a.sum = 0
	}
}
func noLoop(a *account) { for range a.sum { a.sum-- } }
func noAnd(a *account) bool { return a.sum > 0 && a.inner.n > 0 }
func noPointer(a *account) { a.next.sum = 1 }
func noStore(a *account) { p := a.next; p.sum = 1 }
func noGlobalPointer() { first.sum = 1 }
func noEmbedded(e *embeds) { e.sum = 1 }
func noEmbeddedMethod(e *embeds) { e.yesSet(1) }
func noOtherLock(a *account) { a.other.Lock() }
func noMap(a *account) { a.all["k"] = 1 }
func noGlobalMap() int { return table["k"] }
func noMapParameter(m map[string]int) { m["k"] = 1 }
func noIndex(a *account, i int) { a.hist[i] = 1 }
func noSlice(a *account) { a.list[0] = 1 }
func noAppend(a *account) { a.list = append(a.list, 1) }
func noDivision(a *account, n int) { a.sum = n / a.sum }
func noShift(a *account, n int) { a.sum = 1 << a.sum }
func noShiftAssign(a *account, n int) { n <<= a.sum }
func noError(a *account) error { return a.err }
func noLength(a *account) int { return len(a.all) }
func noCopy(a *account) { b := *a; total = b.sum }
func noCall(a *account) { fmt.Println(a.sum) }
func noInterface(l locker) { l.Lock() }
func noValue(f func()) { f() }
func noGo(a *account) { go a.yesSet(1) }
func noSend(c chan int, a *account) { c <- a.sum }
func noReceive(c chan int) int { return <-c }
func noTry(a *account) bool { return a.mu.TryLock() }
func noRecursion(a *account) { a.sum++; noRecursion(a) }
func noMutual1(a *account) { noMutual2(a) }
func noMutual2(a *account) { noMutual1(a) }
func noIndirect(a *account) { noBranch(a) }
func noGeneric[T any](p *T, v T) { *p = v }
func noBytes(a *account) { fmt.Sprint([]byte(a.name)) }
func noCompare(a, b any) bool { return a == b }
func noClosure(a *account) func() { f := func() { a = first }; a.sum = 1; return f }
func noAddress(a *account) { keep(&a); a.sum = 1 }
func noPanic(a *account) { panic(a.sum) }
func keep(**account) {}
`

func TestStraight(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := conf.Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	p := New([]*ast.File{file}, info)
	n := 0
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		yes, no := strings.HasPrefix(fn.Name.Name, "yes"), strings.HasPrefix(fn.Name.Name, "no")
		if got := p.ValueIndependent(fn); got && no || !got && yes {
			t.Errorf("%s: value-independent: %v", fn.Name.Name, got)
		}
		if yes || no {
			n++
		}
	}
	if n < 40 {
		t.Errorf("only %d functions were looked at", n)
	}
}

// What a function literal has from outside may be another's, and changed.
func TestLiterals(t *testing.T) {
	const text = `package p
type account struct{ sum int }
func f(a *account, n int) {
	x := func() { a.sum = n }   // a is not its own
	y := func(a *account) { a.sum = n }
	_, _ = x, y
}`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	if _, err := (&types.Config{}).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	p := New([]*ast.File{file}, info)
	var got []bool
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			got = append(got, p.ValueIndependent(lit))
		}
		return true
	})
	if len(got) != 2 || got[0] || !got[1] {
		t.Errorf("value-independent: %v, want false, true", got)
	}
}
