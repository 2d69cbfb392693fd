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

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// escaped is a package path as the linker writes it in functions' names.
func escaped(pkg string) string {
	slash := strings.LastIndexByte(pkg, '/') + 1
	return pkg[:slash] + strings.ReplaceAll(pkg[slash:], ".", "%2e")
}

// packageText is what a package registers, with all kinds of lines; some lines are twice.
func packageText(r *rand.Rand, pkg string) string {
	var b strings.Builder
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "watched\t%s\n", pkg)
	}
	for range r.IntN(30) {
		file, line, method := fmt.Sprintf("f%d.go", r.IntN(2)), 1+r.IntN(5),
			fmt.Sprintf("M%d", r.IntN(2))
		switch r.IntN(5) {
		case 0:
			fmt.Fprintf(&b, "ignore\t%s\t%s\t%d\twhy\tt\n", pkg, file, line)
		case 1:
			fmt.Fprintf(&b, "concurrent\t%s\tv%d\t%s\t%d\twhy\tt\n", pkg, r.IntN(3), file, line)
		default:
			kind := []string{"site", "unused", "checkact"}[r.IntN(3)]
			fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%s\trest%d\n", kind, pkg, file, line, method,
				r.IntN(1000))
		}
	}
	return b.String()
}

// scanned is what sites, or direct, is to find, by a look at all lines: of texts, in the order in
// which they are read.
func scanned(texts []string, kind string, fr host.Frame, name string) (rests []string) {
	for _, got := range texts {
		for line := range strings.Lines(got) {
			f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 6)
			switch {
			case f[0] != kind || escaped(f[1]) != PackageOf(fr.Func):
			case kind == "watched":
				rests = append(rests, "")
			case kind == "concurrent":
				if f[2] == name {
					rests = append(rests, "")
				}
			case f[2] == text.Base(fr.File) && f[3] == fmt.Sprint(fr.Line):
				if kind == "ignore" {
					rests = append(rests, "")
				} else if f[4] == name {
					rests = append(rests, f[5])
				}
			}
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
		var texts []string
		for _, i := range r.Perm(5) {
			got := packageText(r, pkgs[i])
			texts = append(texts, got)
			Register(got)
			for range 60 {
				pkg := pkgs[r.IntN(len(pkgs))]
				fr := host.Frame{Func: escaped(pkg) + ".(*T).F",
					File: fmt.Sprintf("/src/f%d.go", r.IntN(2)), Line: 1 + r.IntN(5)}
				name := fmt.Sprintf("M%d", r.IntN(2))
				for _, kind := range []string{"site", "unused", "checkact"} {
					var got []string
					Sites(kind, fr, name, func(f string) { got = append(got, strings.Clone(f)) })
					want := scanned(texts, kind, fr, name)
					if hits[kind] += len(want); !slices.Equal(got, want) {
						t.Fatalf("%s lines for %v and %s: %q, want %q", kind, fr, name, got, want)
					}
				}
				decl := &Declaration{Key: pkg + "\t" + fmt.Sprintf("v%d", r.IntN(3)) + "\tmore"}
				_, v := text.Cut(decl.Key, '\t')
				v, _ = text.Cut(v, '\t')
				for kind, want := range map[string]bool{
					"ignore":     len(scanned(texts, "ignore", fr, "")) > 0,
					"concurrent": len(scanned(texts, "concurrent", fr, v)) > 0,
				} {
					if want {
						hits[kind]++
					}
					if got := Directed(kind, fr, decl); got != want {
						t.Fatalf("that there is %s for %v and %s is %v", kind, fr, v, got)
					}
				}
				if want := len(scanned(texts, "watched", fr,
					"")) > 0; isWatched(escaped(pkg)) != want {
					t.Fatalf("that %s is watched is %v", pkg, !want)
				}
			}
		}
	}
	for _, kind := range []string{"site", "unused", "checkact", "ignore", "concurrent"} {
		if hits[kind] < 100 {
			t.Errorf("%d hits of %s", hits[kind], kind)
		}
	}
}

// manyTexts are what registerMany has registered. In a program they are constants.
var manyTexts []string

// registerMany has n packages register: each is watched, and has a line of some other kinds.
func registerMany(n int) {
	for i := range n {
		if i == len(manyTexts) {
			const got = "watched\t@\nignore\t@\tf.go\t1\twhy\tt\nsite\t@\tf.go\t2\tLoad\tlocal\t@\tm\tf.go:1\n"
			manyTexts = append(manyTexts,
				strings.ReplaceAll(got, "@", fmt.Sprintf("example.com/many/p%d", i)))
		}
		Register(manyTexts[i])
	}
}

// TestLookUpsLookAtFewLines wants a look-up to look at the lines that are for it, of very many.
func TestLookUpsLookAtFewLines(t *testing.T) {
	clean(t)
	registerMany(3000)
	for i := range 3000 {
		looks := 0
		for _, k := range []lineKey{
			{kind: "watched"}, {kind: "ignore", file: "f.go", line: 1},
			{kind: "site", file: "f.go", line: 2, name: "Load"},
		} {
			k.pkg = fmt.Sprintf("example.com/many/p%d", i)
			Registered.index.find(k, func(*line) { looks++ })
		}
		if looks != 3 {
			t.Fatalf("package %d: %d lines were looked at for 3", i, looks)
		}
	}
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
				isRegistered(pkg)
				isWatched(pkg)
				directed := Direct("ignore", host.Frame{Func: pkg + ".F", File: "f.go", Line: 1},
					nil, false)
				if _, ok := GlobalAt(uintptr(0x10000 + 64*i)); ok && directed &&
					!isRegistered(pkg) {
					t.Errorf("%s has a directive, and is not registered", pkg)
				}
			}
		})
	}
	wg.Go(func() { registerMany(100) })
	wg.Go(func() { Unused(func(kind, file, line string) {}) })
	wg.Go(func() {
		for i := range uintptr(100) {
			Global(0x10000+64*i, 48, "example.com/many/v\tv\tf.go:1")
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
			Registered.index = lineIndex{}
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
