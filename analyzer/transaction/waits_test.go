// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"go/ast"
	"testing"
)

// TestWaits has functions that wait for others, and twins that don't.
func TestWaits(t *testing.T) {
	const declared = "package p\nimport (\"context\"; \"sync\"; \"time\"; \"net\")\ntype P " +
		"struct { jobs chan int; list []int; wg sync.WaitGroup }\n"
	for src, want := range map[string]bool{
		"func (p *P) F() { for range p.jobs {} }":                   true,
		"func (p *P) F() { for range p.list {} }":                   false,
		"func F(in <-chan int) { for x := range in { _ = x } }":     true,
		"func F(in []int) { for x := range in { _ = x } }":          false,
		"func F(c chan int) int { return <-c }":                     true,
		"func F(c chan int) { c <- 1 }":                             false,
		"func F(c chan int) { select { case <-c: } }":               true,
		"func F(c chan int) { select { case <-c: default: } }":      false,
		"func F(c chan int) { select { case <-c: <-c; default: } }": true,
		"func (p *P) F() { p.wg.Wait() }":                           true,
		"func (p *P) F() { p.wg.Add(1) }":                           false,
		"func (p *P) F() { p.wg.Go(func() { p.wg.Wait() }) }":       false,
		"func (p *P) F() { go p.wg.Wait() }":                        false,
		"func (p *P) F() { defer p.wg.Wait() }":                     true,
		"func F() { time.Sleep(1) }":                                true,
		"func F() { for range time.Tick(1) {} }":                    true,
		"func F() time.Time { return time.Now() }":                  false,
		"func F(l net.Listener) { l.Accept() }":                     true,
		"func F(ctx context.Context, n int) {}":                     true,
		"func F(n int, ctx context.Context) {}":                     false,
		"func (p *P) F() { Wait() }\nfunc Wait() {}":                false,
		"func (p *P) F() { for i := range 10 { p.list[i]++ } }":     false,
		"func (p *P) F() { x := <-p.jobs; _ = x }":                  true,
		"func F() { f := func(c chan int) { <-c }; _ = f }":         false,
		"func F() { for { n++ } }":                                  true,
		"func F() { for { if n++; n > 3 { return } } }":             false,
		"func F() { for { if n++; n > 3 { break } } }":              false,
		"func F(f func(int)) { f(1) }":                              true,
		"func F(f func(int)) { keep = f }":                          false,
		"func F(f func(int)) { go f(1) }":                           false,

		"func F() { c := make(chan int); switch { case <-c > 1: }; " +
			"var m sync.Mutex; m.Lock() }": true,
	} {
		_, file := parse(t, declared+src)
		w := newWaits([]*ast.File{file})
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "F" && w.function(fn) != want {
				t.Errorf("%s: %v", src, !want)
			}
		}
	}
}
