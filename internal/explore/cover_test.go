// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/commutego/commute/ecl"
)

// randomCover has some orders of few operations, and some tests.
func randomCover(r *rand.Rand) *Cover {
	c := new(Cover)
	op := func() Op {
		names := []string{"Lock", "RLock", "Load", "Atomic"}
		return Op{names[r.Intn(4)], fmt.Sprintf("example.com/m%d/file.go:%d", r.Intn(2), 1+r.Intn(12))}
	}
	for range r.Intn(12) {
		if o := (Order{op(), op()}); o.Before != o.After {
			c.Add(o)
			if r.Intn(2) == 0 {
				c.Add(o.reverse())
			}
		}
	}
	for range r.Intn(4) {
		of := 1 + r.Intn(3)
		s := Shard{1 + r.Intn(of), of}
		if of == 1 {
			s = Shard{}
		}
		c.add(coverTest{"example.com/m", fmt.Sprintf("Test%d", r.Intn(3)), uint64(r.Intn(2)), s},
			coverRuns{r.Intn(5), r.Intn(4), r.Intn(2) == 0})
	}
	return c
}

// TestCoverFiles writes and reads files. Merging is the same in any order, and twice.
func TestCoverFiles(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 500 {
		a, b, c := randomCover(r), randomCover(r), randomCover(r)
		for _, one := range []*Cover{a, b, c} {
			text := one.Format()
			got, err := ParseCover("f", text)
			if err != nil || !bytes.Equal(got.Format(), text) || len(got.orders) != len(one.orders) ||
				len(got.tests) != len(one.tests) {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		merged := func(list ...*Cover) string {
			all := new(Cover)
			for _, one := range list {
				all.Merge(one)
			}
			return string(all.Format())
		}
		want := merged(a, b, c)
		if got := merged(c, a, b, a); got != want {
			t.Fatalf("got\n%swant\n%s", got, want)
		}
		bc := new(Cover)
		bc.Merge(b)
		bc.Merge(c)
		if got := merged(bc, a); got != want {
			t.Fatalf("got\n%swant\n%s", got, want)
		}
	}
}

// TestPairs counts pairs, and looks for missing orders, as one does by hand.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 500 {
		c := randomCover(r)
		both, one := 0, 0
		var missing []string
		list := c.sortedOrders()
		for i, o := range list {
			if o.Before == o.After {
				t.Fatal(o)
			}
			found := false
			for j, p := range list {
				if p.Before == o.After && p.After == o.Before {
					found = true
					if i < j {
						both++
					}
				}
			}
			if !found {
				one++
				missing = append(missing, o.After.String()+" before "+o.Before.String())
			}
		}
		if b, all := c.Pairs(); b != both || all != both+one {
			t.Fatalf("%d of %d pairs, want %d of %d", b, all, both, both+one)
		}
		got := make(map[string]bool)
		for _, o := range c.Missing() {
			got[o.String()] = true
		}
		if len(got) != len(missing) {
			t.Fatalf("missing %v, want %v", got, missing)
		}
		for _, m := range missing {
			if !got[m] {
				t.Fatalf("%s is missing, and not said", m)
			}
		}
	}
}

// TestCoverText says in words what was covered.
func TestCoverText(t *testing.T) {
	a, b := Op{"Lock", "example.com/m/kernel.go:31"}, Op{"Lock", "example.com/m/kernel.go:40"}
	load := Op{"Load", "example.com/m/kernel.go:9"}
	c := new(Cover)
	if c.Line() != "" || c.Percent() != 100 {
		t.Errorf("%s %d", c.Line(), c.Percent())
	}
	c.Add(Order{b, a})
	if want := "0 of 1 pair of operations seen in both orders; not: Lock kernel.go:31 before " +
		"Lock kernel.go:40"; c.Line() != want {
		t.Error(c.Line())
	}
	c.Add(Order{a, b})
	c.Add(Order{a, load})
	c.Add(Order{b, load})
	if want := "1 of 3 pairs of operations seen in both orders; not: Load kernel.go:9 before " +
		"Lock kernel.go:31, Load kernel.go:9 before Lock kernel.go:40"; c.Line() != want ||
		c.Percent() != 33 {
		t.Errorf("%s %d", c.Line(), c.Percent())
	}
	test := coverTest{"example.com/m", "TestA", 1, Shard{1, 2}}
	c.add(test, coverRuns{64, 2, false})
	var out strings.Builder
	c.Print(&out)
	if !strings.HasPrefix(out.String(), "explored TestA of example.com/m: 64 runs\n") {
		t.Error(out.String()) // what the other shard has found is not known
	}
	test.shard.Index = 2
	c.add(test, coverRuns{60, 1, false})
	out.Reset()
	c.Print(&out)
	if want := `explored TestA of example.com/m: 124 runs; no schedule with at most 1 forced switch fails
1 of 3 pairs of operations seen in both orders: 33%
not: Load example.com/m/kernel.go:9 before Lock example.com/m/kernel.go:31
not: Load example.com/m/kernel.go:9 before Lock example.com/m/kernel.go:40
`; out.String() != want {
		t.Error(out.String())
	}
	c.add(test, coverRuns{60, 1, true})
	out.Reset()
	c.Print(&out)
	if !strings.HasPrefix(out.String(), "explored TestA of example.com/m: 124 runs; it fails\n") {
		t.Error(out.String())
	}
}

// TestCoverErrors reads files that are wrong: one error, with its place.
func TestCoverErrors(t *testing.T) {
	const order = "commute cover 1\nLock m/a.go:1 before Lock m/a.go:2\n"
	for text, want := range map[string]string{
		"":                         `f:1:1: want "commute cover 1": the file is empty`,
		"mode: set\n":              `f:1:1: want "commute cover 1": it is no file of -explore_cover`,
		order + "Lock m/a.go:3":    `f:3:14: the file ends in the middle of a line`,
		order + "\n":               `f:3:1: want an operation`,
		order + "Luck m/a.go:3\n":  `f:3:1: "Luck" is no operation`,
		order + "Lock a.go:3\n":    `f:3:6: "a.go:3" is no place: one is like example.com/m/file.go:12`,
		order + "Lock m/a.go:03\n": `f:3:6: "m/a.go:03" is no place: one is like example.com/m/file.go:12`,
		order + "Lock m/a.go:3 after Lock m/a.go:4\n":    `f:3:15: want "before", not "after"`,
		order + "Lock m/a.go:3 before Lock m/a.go:4 x\n": `f:3:36: want the end of the line`,
		order + "Lock m/a.go:3 before Lock m/a.go:4 \n":  `f:3:36: a space at the end`,
		order + "test m TestX seed -1\n":                 `f:3:19: want a number, not "-1"`,
		order + "test m TestX seed 1 shard 3/2\n":        `f:3:27: want a shard, as 1/4`,
		order + "test m TestX seed 1 shard 1/2 runs 5 switches 9 pass\n": `f:3:47: want a number up to ` +
			`3, not "9"`,
		order + "test m TestX seed 1 shard 1/2 runs 5 switches 1 ok\n": `f:3:49: want pass or fail`,
	} {
		_, err := ParseCover("f", []byte(text))
		var placed ecl.Errors
		if err == nil || err.Error() != want || !errors.As(err, &placed) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadCover(t.TempDir()); err == nil {
		t.Error("a folder is read")
	}
	if c, err := ReadCover(filepath.Join(t.TempDir(), "none")); err != nil ||
		!reflect.DeepEqual(c, new(Cover)) {
		t.Errorf("%v %v", c, err)
	}
}

// FuzzParseCover reads any text: what is taken is written as it was, but for its order.
func FuzzParseCover(f *testing.F) {
	r := rand.New(rand.NewSource(3))
	for range 5 {
		f.Add(randomCover(r).Format())
	}
	f.Add([]byte("commute cover 1\nLock m/a.go:1 before"))
	f.Add([]byte("commute cover 1\ntest m T seed 1 shard 1/1 runs 1 switches 0 pass\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseCover("f", text)
		var placed ecl.Errors
		switch {
		case err != nil && (!errors.As(err, &placed) || len(placed) != 1 ||
			placed[0].Pos.Line < 1 || placed[0].Pos.Column < 1):
			t.Fatal(err)
		case err != nil:
			return
		}
		written := c.Format()
		again, err := ParseCover("f", written)
		if err != nil || !bytes.Equal(again.Format(), written) {
			t.Fatalf("%v: %q is written as %q", err, text, written)
		}
		lines := make(map[string]bool)
		for line := range strings.Lines(string(text)) {
			lines[line] = true
		}
		for line := range strings.Lines(string(written)) {
			if !lines[line] {
				t.Fatalf("%q is written, and was not in %q", line, text)
			}
		}
	})
}

// TestShards reads shards. Each of some runs is in one of them.
func TestShards(t *testing.T) {
	for text, want := range map[string]Shard{"1/1": {1, 1}, "2/8": {2, 8}, "8/8": {8, 8}} {
		if s, err := ParseShard(text); err != nil || s != want {
			t.Errorf("%s: %v %v", text, s, err)
		}
	}
	for _, text := range []string{"", "1", "0/2", "3/2", "1/", "/2", "-1/2", "1/2/3", "x/2",
		"1/99999999"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		}
	}
	for of := 1; of < 6; of++ {
		for i := range 30 {
			n := 0
			for index := 1; index <= of; index++ {
				if (Shard{index, of}).has(i) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("run %d is in %d of %d shards", i, n, of)
			}
		}
	}
}
