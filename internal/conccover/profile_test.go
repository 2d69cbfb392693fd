// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// below is the order of states, written down: what is at most what.
var below = map[State][]State{
	NotRun: {NotRun, Alone, Before, After, Both, Unordered},
	Alone:  {Alone, Before, After, Both, Unordered},
	Before: {Before, Both, Unordered}, After: {After, Both, Unordered},
	Both: {Both, Unordered}, Unordered: {Unordered},
}

// atMost reports whether s is at most t.
func atMost(s, t State) bool {
	for _, u := range below[s] {
		if u == t {
			return true
		}
	}
	return false
}

// TestJoin has all states: the join of two is the least that both are at most. So it is
// commutative, associative and idempotent.
func TestJoin(t *testing.T) {
	for s := range Unordered + 1 {
		for u := range Unordered + 1 {
			j := s.Join(u)
			if !atMost(s, j) || !atMost(u, j) {
				t.Errorf("%v and %v: %v is less than one of them", s, u, j)
			}
			for v := range Unordered + 1 {
				if atMost(s, v) && atMost(u, v) && !atMost(j, v) {
					t.Errorf("%v and %v: %v is not the least, %v is less", s, u, j, v)
				}
				if j.Join(v) != s.Join(u.Join(v)) {
					t.Errorf("%v, %v and %v: not associative", s, u, v)
				}
			}
			if j != u.Join(s) || s.Join(s) != s {
				t.Errorf("%v and %v: not commutative, or not idempotent", s, u)
			}
			if j.reverse() != s.reverse().Join(u.reverse()) {
				t.Errorf("%v and %v: the reverse of the join is not that of the reverses", s, u)
			}
		}
	}
}

// randomProfile is one with few names, some of which have characters that words can't have.
func randomProfile(r *rand.Rand) *Profile {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	object := func() Object {
		if r.IntN(2) == 0 {
			return Object{Lock, pick("sync.Mutex", "sync.RWMutex"), pick("p.mu", "p.S.mu", Nameless)}
		}
		return Object{Call, pick("sync.Map", "p.Set"), pick("p.m", "p.a b", Nameless)}
	}
	operation := func(o Object) Operation {
		place := fmt.Sprintf("example.com/%s/%s:%d", pick("m", "100%"), pick("a.go", "b c.go"),
			1+r.IntN(20))
		if o.Kind == Lock {
			return Operation{pick("Lock", "RLock"), place}
		}
		return Operation{pick("Get", "Put", "Len"), place}
	}
	p := new(Profile)
	for range r.IntN(6) {
		o := object()
		p.addOp(o, operation(o))
	}
	for range r.IntN(6) {
		o := object()
		p.addPair(o, operation(o), operation(o), 1+State(r.IntN(int(Unordered))))
	}
	for range r.IntN(3) {
		p.addType(pick("sync.Map", "p.Set"), methodsOf(pick("Get", "Put"), pick("Len", "Put")))
	}
	if r.IntN(4) == 0 {
		p.addType("p.Free")
	}
	return p
}

// merged is all of the profiles together.
func merged(list ...*Profile) *Profile {
	all := new(Profile)
	for _, p := range list {
		all.Merge(p)
	}
	return all
}

// TestMerge has random profiles, merged in any order.
func TestMerge(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b, c := randomProfile(r), randomProfile(r), randomProfile(r)
		want := string(merged(a, b, c).Format())
		for i, other := range []*Profile{merged(c, a, b), merged(merged(b, c), a),
			merged(a, a, b, c, b), merged(merged(a, b), merged(b, c))} {
			if got := string(other.Format()); got != want {
				t.Fatalf("seed %d, order %d: %s\nwant %s", seed, i, got, want)
			}
		}
	}
}

// TestOnly has the parts of random profiles. The oracle picks lines of their text.
func TestOnly(t *testing.T) {
	place := regexp.MustCompile(`(\S+)/\S+:\d+( |\n)`)
	parts := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := merged(randomProfile(r), randomProfile(r))
		pkg := []string{"example.com/m", "example.com/100%"}[seed%2]
		want, types := Header+"\n", make(map[string]bool)
		lines := slices.Collect(strings.Lines(string(p.Format())))
		for _, line := range lines[1:] {
			in := true
			for _, m := range place.FindAllStringSubmatch(line, -1) {
				in = in && m[1] == strings.ReplaceAll(pkg, "%", "%25")
			}
			words := strings.Fields(line)
			if in && words[0] != "type" {
				types[words[2]] = true
			}
			if in && (words[0] != "type" || types[words[1]]) {
				want += line
			}
		}
		part := p.Only(func(path string) bool { return path == pkg })
		if got := string(part.Format()); got != want {
			t.Fatalf("seed %d: %s\nwant %s\nof %s", seed, got, want, p.Format())
		}
		if len(part.pairs) > 0 && len(part.pairs) < len(p.pairs) {
			parts++
		}
	}
	if parts < 100 {
		t.Errorf("only %d profiles have pairs of which a part is taken", parts)
	}
}

// TestParse has random profiles written and read again, also with lines in another order, some
// of them more than once.
func TestParse(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		want := string(randomProfile(r).Format())
		lines := strings.SplitAfter(strings.TrimSuffix(want, "\n"), "\n")
		lines[len(lines)-1] += "\n"
		head, rest := lines[0], lines[1:]
		if len(rest) > 0 {
			rest = append(rest, rest[r.IntN(len(rest))])
		}
		r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		p, err := Parse("c.out", []byte(head+strings.Join(rest, "")))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, want)
		}
		if got := string(p.Format()); got != want {
			t.Fatalf("seed %d: %s\nwant %s", seed, got, want)
		}
	}
}

// TestMistakes has the place and the text of each error.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "c.out:1:1: the file is empty",
		"mode: set\n":                   "c.out:1:1: this is no profile of concurrency coverage: the first line has to be",
		"commute conc":                  "c.out:1:1: this is no profile",
		Header:                          "c.out:1:22: the file ends in the middle of a line: write it anew (commute test",
		title + "2\n":                   `c.out:1:21: version "2" of profiles is not known: this commute reads version 1`,
		"\nop":                          `c.out:2:1: a line begins with op, pair or type, not with "ops"`,
		"\nop call":                     "c.out:2:8: want the name of a type here",
		"\nop calls x":                  `c.out:2:4: "calls" is no kind of object: want call or lock`,
		"\nop call a - Get p/a.go":      `c.out:2:17: "p/a.go" is no place: want one as example.com/`,
		"\nop call a - Get p/a.go:0":    `is no place`,
		"\nop call a - Get p/a.go:01":   `is no place`,
		"\nop call a - Get p/a.go:1 x":  "c.out:2:26: want the end of the line here",
		"\nop call a - Get p/a.go:1 ":   "c.out:2:26: there is a space at the end of the line",
		"\nop call a%2 - Get p/a.go:1":  "c.out:2:10: want an escape as %20 here",
		"\nop call a%41 - Get p/a.go:1": "c.out:2:10: want an escape as %20 here",
		"\nop call a,b - Get p/a.go:1":  "c.out:2:10: want an escape for the character ',': %2c",
		"\nop call  - Get p/a.go:1":     "c.out:2:9: want the name of a type here",
		"\npair call a - Get p/a.go:1 Put p/a.go:2 maybe": `c.out:2:41: "maybe" is no state: want alone, before`,
		"\npair call a - Get p/a.go:1 Put p/a.go:2":       "c.out:2:40: want a state here",
		"\ntype":           "c.out:2:5: want the name of a type here",
		"\ntype a Get":     "c.out:2:8: want two methods with a comma between",
		"\ntype a Get,Pu%": "c.out:2:14: want an escape",
	} {
		if strings.HasPrefix(text, "\n") {
			text = Header + text + "\n"
			text = strings.Replace(text, "\nop\n", "\nops\n", 1)
		}
		_, err := Parse("c.out", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %s", text, err, want)
		}
	}
}

// FuzzParse has any text: it is refused with a place, or it has a normal form that is read as the
// same.
func FuzzParse(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(string(randomProfile(rand.New(rand.NewPCG(seed, 3))).Format()))
	}
	f.Add(Header + "\nop call a%2c%20 - Get p/a.go:1\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("c.out", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "c.out:") {
				t.Errorf("the error has no place: %v", err)
			}
			return
		}
		normal := string(p.Format())
		again, err := Parse("c.out", []byte(normal))
		if err != nil {
			t.Fatalf("%v\n%s", err, normal)
		}
		if got := string(again.Format()); got != normal {
			t.Errorf("%s\nwant %s", got, normal)
		}
		if got := string(merged(p, again).Format()); got != normal {
			t.Errorf("merged with itself: %s\nwant %s", got, normal)
		}
		for _, c := range []Count{ByMethods, ByPlaces, ByTypes} {
			if covered, all := Sum(p.Groups(c)); covered < 0 || covered > all {
				t.Errorf("%d of %d pairs", covered, all)
			}
		}
	})
}
