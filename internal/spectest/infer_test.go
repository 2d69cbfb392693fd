// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/spectest/models"
)

// modelsPath is the package of the types that are inferred.
const modelsPath = "github.com/commutego/commute/internal/spectest/models"

// A model is a type with what is to be inferred of it.
type model struct {
	name  string
	make  func() any
	roles []string // what its specification has besides formulas
	want  string   // the formulas
}

var modelTypes = []model{
	{"Dict", func() any { return models.NewDict() },
		[]string{"mutator Put(k, v)/p", "observer Get(k)/v", "observer Len()/n",
			"mutator Del(k)/had"}, `
commute Put(k1, v1)/(p1), Put(k2, v2)/(p2): k1 != k2 || v1 == p1 && v2 == p2
commute Put(k1, v1)/(p1), Get(k2)/(v2): k1 != k2 || v1 == p1
commute Put(k1, v1)/(p1), Len()/(n2): (v1 == nil) == (p1 == nil)
commute Put(k1, v1)/(p1), Del(k2)/(had2): k1 != k2 || v1 == p1 && !had2
commute Get(k1)/(v1), Del(k2)/(had2): k1 != k2 || !had2
commute Len()/(n1), Del(k2)/(had2): !had2
commute Del(k1)/(had1), Del(k2)/(had2): k1 != k2 || !had1 && !had2
`},
	{"Set", func() any { return new(models.Set) },
		[]string{"mutator Add(x)/added", "mutator Remove(x)/removed", "observer Has(x)/ok"}, `
commute Add(x1)/(added1), Add(x2)/(added2): x1 != x2 || !added1 && !added2
commute Add(x1)/(added1), Remove(x2)/(removed2): x1 != x2
commute Add(x1)/(added1), Has(x2)/(ok2): x1 != x2 || !added1
commute Remove(x1)/(removed1), Remove(x2)/(removed2): x1 != x2 || !removed1 && !removed2
commute Remove(x1)/(removed1), Has(x2)/(ok2): x1 != x2 || !removed1
`},
	{"LRU", func() any { return models.NewLRU(2) },
		[]string{"observer Get(k)/(v, ok)", "mutator Put(k, v)", "observer Peek(k)/(v, ok)"}, `
commute Get(k1)/(v1, ok1), Get(k2)/(v2, ok2): !ok1 || !ok2
commute Get(k1)/(v1, ok1), Peek(k2)/(v2, ok2): true
also Get(k1)/(v1, ok1), Get(k2)/(v2, ok2): k1 == k2
also Put(k1, v1), Put(k2, v2): k1 == k2 && v1 == v2
default false
`},
	{"Table", func() any { return models.NewTable[string, int]() },
		[]string{"observer Load(k)/(v, ok)", "mutator Store(k, v)",
			"arbiter LoadOrStore(k, v)/(actual, loaded)"}, `
commute Load(k1)/(v1, ok1), Store(k2, v2): k1 != k2
commute Load(k1)/(v1, ok1), LoadOrStore(k2, v2)/(actual2, loaded2): k1 != k2 || loaded2
commute Store(k1, v1), Store(k2, v2): k1 != k2
commute Store(k1, v1), LoadOrStore(k2, v2)/(actual2, loaded2): k1 != k2
commute LoadOrStore(k1, v1)/(actual1, loaded1), LoadOrStore(k2, v2)/(actual2, loaded2): ` +
			`k1 != k2 || loaded1 && loaded2
also Store(k1, v1), Store(k2, v2): v1 == v2
`},
	{"Queue", func() any { return new(models.Queue) },
		[]string{"arbiter Push(x)", "arbiter Pop()/(x, ok)", "observer Len()/n"}, `
commute Push(x1), Pop()/(x2, ok2): x1 != x2 && ok2
commute Pop()/(x1, ok1), Pop()/(x2, ok2): !ok1 && !ok2
commute Pop()/(x1, ok1), Len()/(n2): !ok1
also Push(x1), Push(x2): x1 == x2
also Pop()/(x1, ok1), Pop()/(x2, ok2): ok1 && ok2 && x1 == x2
default false
`},
	{"Log", func() any { return new(models.Log) },
		[]string{"arbiter Append(lines)", "observer All()/r", "observer Len()/n"}, `
commute Append(lines1), Append(lines2): len(lines1) == 0 || len(lines2) == 0
commute Append(lines1), All()/(r2): len(lines1) == 0
commute Append(lines1), Len()/(n2): len(lines1) == 0
`},
	{"Counter", func() any { return new(models.Counter) },
		[]string{"mutator Add(d)", "mutator Next()/n", "observer Count()/n"}, `
commute Add(d1), Add(d2): true
commute Add(d1), Next()/(n2): d1 == 0
commute Add(d1), Count()/(n2): d1 == 0
also Next()/(n1), Next()/(n2): unused(n1) && unused(n2)
default false
`},
	{"Register", func() any { return new(models.Register) },
		[]string{"mutator Set(v)", "observer Get()/v",
			"arbiter CompareAndSwap(old, new)/swapped"}, `
commute Get()/(v1), CompareAndSwap(old2, new2)/(swapped2): !swapped2 || old2 == new2
commute CompareAndSwap(old1, new1)/(swapped1), CompareAndSwap(old2, new2)/(swapped2): ` +
			`old1 != old2 && old1 != new2 && new1 != old2 || !swapped1 && !swapped2 || ` +
			`!swapped1 && old2 == new2 || old1 == new1 && !swapped2 || old1 == new1 && old2 == new2
also Set(v1), Set(v2): v1 == v2
default false
`},
	{"Account", func() any { return new(models.Account) },
		[]string{"mutator Deposit(n)/ok", "mutator Withdraw(n)/ok", "observer Balance()/n"}, `
commute Deposit(n1)/(ok1), Deposit(n2)/(ok2): true
commute Deposit(n1)/(ok1), Withdraw(n2)/(ok2): n1 <= 0 || n2 <= 0
commute Deposit(n1)/(ok1), Balance()/(n2): n1 <= 0
commute Withdraw(n1)/(ok1), Withdraw(n2)/(ok2): ` +
			`n1 <= 0 || n2 <= 0 || ok1 && ok2 || !ok1 && !ok2
commute Withdraw(n1)/(ok1), Balance()/(n2): !ok1 || n1 <= 0
`},
	{"Max", func() any { return new(models.Max) },
		[]string{"mutator Set(x)/old", "observer Get()/n"}, `
commute Set(x1)/(old1), Set(x2)/(old2): x1 <= old1 && x2 <= old2
commute Set(x1)/(old1), Get()/(n2): x1 <= old1
also Set(x1)/(old1), Set(x2)/(old2): unused(old1) && unused(old2)
`},
	{"Heap", func() any { return new(models.Heap) },
		[]string{"mutator Push(x)", "arbiter Pop()/(x, ok)", "observer Peek()/(x, ok)"}, `
commute Push(x1), Push(x2): true
commute Push(x1), Pop()/(x2, ok2): x1 >= 0 && x2 < 0
commute Push(x1), Peek()/(x2, ok2): x1 >= 0 && x2 < 0
commute Pop()/(x1, ok1), Pop()/(x2, ok2): !ok1 && !ok2
commute Pop()/(x1, ok1), Peek()/(x2, ok2): !ok1
also Pop()/(x1, ok1), Pop()/(x2, ok2): ok1 && ok2 && x1 == x2
`},
}

// inferModel infers the specification of a model.
func inferModel(t *testing.T, m model, seed uint64) *Inferred {
	t.Helper()
	o := Inference{Options: options(".", modelsPath), Support: 20,
		Pos: token.Position{Filename: "models.go", Line: 1, Column: 1}}
	o.Type, o.Seed = m.name, seed
	o.Directives = func(change, without map[string]bool) (lines []string) {
		for _, role := range m.roles {
			name := strings.FieldsFunc(role, func(r rune) bool { return r == ' ' || r == '(' })[1]
			if change[name] {
				role = "arbiter" + role[strings.Index(role, " "):]
			}
			if !without[name] {
				lines = append(lines, "//ecl:"+role)
			}
		}
		return lines
	}
	r, err := Infer(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// formulas are the directives that are no roles.
func formulas(r *Inferred) string {
	var b strings.Builder
	for _, line := range r.Lines {
		line = strings.TrimPrefix(line, "//ecl:")
		if word, _, _ := strings.Cut(line, " "); slices.Contains([]string{"commute", "also",
			"default"}, word) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// TestInfer infers the specifications of all models: they are those that are known to be the
// weakest, and right in all small states of the types themselves.
func TestInfer(t *testing.T) {
	for _, m := range modelTypes {
		t.Run(m.name, func(t *testing.T) {
			r := inferModel(t, m, 1)
			if got := formulas(r); got != m.want[1:] {
				t.Errorf("inferred\n%swant%s", got, m.want)
			}
			for _, p := range r.Pairs {
				if p.Says+p.Not == 0 || p.Differed > p.Not || p.Formula == "true" && p.Not > 0 ||
					p.Formula == "false" && len(p.Also) == 0 && p.Says > 0 {
					t.Errorf("tried: %+v", p)
				}
			}
			if n := exhaust(t, m, r); n < 30 {
				t.Errorf("only %d claims were checked", n)
			}
		})
	}
}
