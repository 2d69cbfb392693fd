// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// escaped is a package path as the linker writes it in functions' names.
func escaped(pkg string) string {
	slash := strings.LastIndexByte(pkg, '/') + 1
	return pkg[:slash] + strings.ReplaceAll(pkg[slash:], ".", "%2e")
}

// randomPackage is what a package registers, with all kinds of things; some are there twice.
func randomPackage(r *rand.Rand, pkg string) *compiled.Registration {
	p := &compiled.Registration{Path: pkg, Watched: r.IntN(2) == 0}
	for range r.IntN(30) {
		file, line, method := fmt.Sprintf("f%d.go", r.IntN(2)), uint32(1+r.IntN(5)),
			fmt.Sprintf("M%d", r.IntN(2))
		rest := fmt.Sprintf("rest%d", r.IntN(1000))
		switch r.IntN(5) {
		case 0:
			p.Directives = append(p.Directives,
				compiled.Directive{Kind: compiled.Ignore, File: file, Line: line})
		case 1:
			p.Directives = append(p.Directives, compiled.Directive{Kind: compiled.Concurrent,
				File: file, Line: line, Decl: fmt.Sprintf("v%d", r.IntN(3))})
		case 2:
			p.Acts = append(p.Acts, compiled.CheckAct{
				Check: compiled.Call{File: file, Line: line, Method: method},
				Act:   compiled.Call{File: rest},
			})
		default:
			p.Sites = append(p.Sites, site(file, line, method, compiled.OtherDecl, "", "", rest))
		}
	}
	return p
}

// scanned is what a look-up is to find, by a look at all that is registered, in the order in which
// that is taken in: of sites and acts what they differ in.
func scanned(list []*compiled.Registration, kind string, fr host.Frame,
	name string) (rests []string) {
	for _, r := range list {
		if escaped(r.Path) != PackageOf(fr.Func) {
			continue
		}
		is := func(file string, line uint32) bool {
			return file == text.Base(fr.File) && int(line) == fr.Line
		}
		for i := range r.Directives {
			d := &r.Directives[i]
			switch {
			case kind == "ignore" && d.Kind == compiled.Ignore && is(d.File, d.Line),
				kind == "concurrent" && d.Kind == compiled.Concurrent && d.Decl == name:
				rests = append(rests, "")
			}
		}
		for _, s := range r.Sites {
			if kind == "site" && is(s.File, s.Line) && s.Method == name {
				rests = append(rests, s.Pos)
			}
		}
		for _, a := range r.Acts {
			if kind == "act" && is(a.Check.File, a.Check.Line) && a.Check.Method == name {
				rests = append(rests, a.Act.File)
			}
		}
		if kind == "watched" && r.Watched {
			rests = append(rests, "")
		}
	}
	return rests
}

// TestLookUps compares what look-ups find in random registrations with what a look at all lines
// does. Packages register at all times.
func TestLookUps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pkgs := []string{"a", "example.com/m", "example.com/m.v2", "gopkg.in/yaml.v3",
		"example.com/m/in", "none"}
	hits := make(map[string]int)
	for range 40 {
		clean(t)
		var list []*compiled.Registration
		for _, i := range r.Perm(5) {
			p := randomPackage(r, pkgs[i])
			list = append(list, p)
			Keep(p)
			for range 60 {
				pkg := pkgs[r.IntN(len(pkgs))]
				fr := host.Frame{Func: escaped(pkg) + ".(*T).F",
					File: fmt.Sprintf("/src/f%d.go", r.IntN(2)), Line: 1 + r.IntN(5)}
				name := fmt.Sprintf("M%d", r.IntN(2))
				var sites, acts []string
				Sites(fr, name, func(s *compiled.Site) { sites = append(sites, s.Pos) })
				Acts(fr, name, func(a *compiled.CheckAct) { acts = append(acts, a.Act.File) })
				for kind, got := range map[string][]string{"site": sites, "act": acts} {
					want := scanned(list, kind, fr, name)
					if hits[kind] += len(want); !slices.Equal(got, want) {
						t.Fatalf("%ss for %v and %s: %q, want %q", kind, fr, name, got, want)
					}
				}
				v := fmt.Sprintf("v%d", r.IntN(3))
				decl := &Declaration{Key: Key{Known: true, Package: pkg, Name: v, Pos: "more"}}
				for kind, want := range map[compiled.DirectiveKind]bool{
					"ignore":     len(scanned(list, "ignore", fr, "")) > 0,
					"concurrent": len(scanned(list, "concurrent", fr, v)) > 0,
				} {
					if want {
						hits[string(kind)]++
					}
					if got := Directed(kind, fr, decl); got != want {
						t.Fatalf("that there is %s for %v and %s is %v", kind, fr, v, got)
					}
				}
				if want := len(scanned(list, "watched", fr,
					"")) > 0; isWatched(escaped(pkg)) != want {
					t.Fatalf("that %s is watched is %v", pkg, !want)
				}
			}
		}
	}
	for _, kind := range []string{"site", "act", "ignore", "concurrent"} {
		if hits[kind] < 100 {
			t.Errorf("%d hits of %s", hits[kind], kind)
		}
	}
}

// many are what registerMany has registered. In a program they are static data.
var many []*compiled.Registration

// registerMany has n packages register: each is watched, and has one of some other kinds.
func registerMany(n int) {
	for i := range n {
		if i == len(many) {
			pkg := fmt.Sprintf("example.com/many/p%d", i)
			many = append(many, &compiled.Registration{
				Path:       pkg,
				Watched:    true,
				Tested:     true,
				Directives: []compiled.Directive{{Kind: compiled.Ignore, File: "f.go", Line: 1}},
				Sites: []compiled.Site{
					site("f.go", 2, "Load", compiled.LocalVar, pkg, "m", "f.go:1"),
				},
			})
		}
		Register(many[i])
	}
}

// TestLookUpsLookAtFewEntries wants a look-up to look at the entries that are for it, of very many.
func TestLookUpsLookAtFewEntries(t *testing.T) {
	clean(t)
	registerMany(3000)
	x := upToDate()
	for i := range 3000 {
		pkg := fmt.Sprintf("example.com/many/p%d", i)
		looks := length(x.packages.find(&key{pkg: pkg})) +
			length(x.directives.find(&key{pkg: pkg, file: "f.go", line: 1})) +
			length(x.sites.find(&key{pkg: pkg, file: "f.go", line: 2, name: "Load"}))
		if looks != 3 {
			t.Fatalf("package %d: %d entries were looked at for 3", i, looks)
		}
	}
}

// length is the number of entries that follow one another.
func length[T any](e *entry[T]) (n int) {
	for ; e != nil; e = e.next.Load() {
		n++
	}
	return n
}

// TestLayersAreFoundOutOnce asks for more return addresses than there are places for those asked
// for all the time.
func TestLayersAreFoundOutOnce(t *testing.T) {
	clean(t)
	const n = 3 * len(Layers)
	for i := range uintptr(n) {
		LayerOf(0x10 + 16*i)
		LockLayer(0x10 + 16*i)
	}
	for i := range uint64(n) {
		if _, ok := knownLayers.Get(0x10 + 16*i); !ok {
			t.Fatalf("the layer of address %d of %d is not remembered", i, n)
		}
		if _, ok := knownLockLayers.Get(0x10 + 16*i); !ok {
			t.Fatalf("the lock's layer of address %d of %d is not remembered", i, n)
		}
	}
}

// TestPCNumber has goroutines put addresses with their numbers in one place, where others must
// never see the number of another address.
func TestPCNumber(t *testing.T) {
	var p PCNumber
	if size := unsafe.Sizeof(p); size != 8 {
		t.Errorf("%d bytes: an address and its number must be stored at once", size)
	}
	number := func(pc uintptr) int { return int(pc * 7 % 5) }
	var wg sync.WaitGroup
	for w := range uintptr(4) {
		wg.Go(func() {
			for i := range uintptr(30000) {
				pc := ^uintptr(0)>>3 - (i+w)%3 // all bits that an address may have
				if n, ok := p.Get(pc); ok && n != number(pc) {
					t.Errorf("%#x has number %d, want %d", pc, n, number(pc))
					return
				}
				p.Put(pc, number(pc))
			}
		})
	}
	wg.Wait()
	for _, pc := range []uintptr{1, 0x7fffffff, ^uintptr(0) >> 3} {
		p.Put(pc, maxPCNumber)
		if n, ok := p.Get(pc); n != maxPCNumber || !ok {
			t.Errorf("%#x has number %d, %v", pc, n, ok)
		}
	}
}

// TestLookUpsConcurrently has goroutines look things up while packages register. It's for go test
// -race: what is shared must be ordered.
func TestLookUpsConcurrently(t *testing.T) {
	clean(t)
	pcs := make([]uintptr, 8)
	pcs = pcs[:runtime.Callers(0, pcs)]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				for _, pc := range pcs {
					SeenLayer(pc)
					LayerOf(pc)
					LockLayer(pc)
				}
				pkg := fmt.Sprintf("example.com/many/p%d", i%100)
				registrationOf(pkg)
				isWatched(pkg)
				directed := Direct("ignore", host.Frame{Func: pkg + ".F", File: "f.go", Line: 1},
					nil, false)
				if _, ok := GlobalAt(uintptr(0x10000 + 64*i)); ok && directed &&
					registrationOf(pkg) == nil {
					t.Errorf("%s has a directive, and is not registered", pkg)
				}
			}
		})
	}
	wg.Go(func() { registerMany(100) })
	wg.Go(func() { Unused(func(*compiled.Directive) {}) })
	wg.Go(func() {
		for i := range uintptr(100) {
			Keep(&compiled.Registration{Path: "example.com/many/v", Globals: []compiled.Global{
				variable(0x10000+64*i, 48, "v", "f.go:1"),
			}})
		}
	})
	wg.Wait()
	for i := range uintptr(100) {
		if d, ok := GlobalAt(0x10000 + 64*i + 47); !ok || d.Name != "v" {
			t.Errorf("global %d is not found", i)
		}
	}
}

func BenchmarkLookUp(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%d_packages", n), func(b *testing.B) {
			Reset()
			registerMany(n)
			fr := make([]host.Frame, 1000)
			for i := range fr {
				fr[i] = host.Frame{Func: fmt.Sprintf("example.com/many/p%d.F", i), File: "f.go",
					Line: 1}
			}
			isWatched("") // reads what was registered
			b.ResetTimer()
			for i := range b.N {
				f := fr[i%len(fr)]
				if !isWatched(PackageOf(f.Func)) || !Direct("ignore", f, nil, false) {
					b.Fatal("not found")
				}
			}
		})
	}
}

func BenchmarkLayerOf(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%d_addresses", n), func(b *testing.B) {
			for i := range n {
				LayerOf(0x10 + 16*uintptr(i))
			}
			b.ResetTimer()
			for i := range b.N {
				LayerOf(0x10 + 16*uintptr(i%n))
			}
		})
	}
}
