// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package serve

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// A bag is what the tests' server serves: its list comes in random order.
type bag struct{ m map[int]bool }

// table has the methods 0: Add(x), 1: List(), an observer, 2: Exit(), 3: Random().
var table = commuteTable{
	object: func() any { return &bag{make(map[int]bool)} },
	reset:  func() {},
	methods: []commuteMethod{
		{name: "Add", sizes: []int{3}, views: []int{3}, call: func(o any, args []byte,
			c *commuteCall) {
			b := o.(*bag)
			had := b.m[int(args[0])]
			b.m[int(args[0])] = true
			c.results = commuteResults(o, had, b)
			c.vals, c.conds = []any{int(args[0]), had}, []bool{had}
		}},
		{name: "List", observer: true, call: func(o any, _ []byte, c *commuteCall) {
			var list []int
			for x := range o.(*bag).m {
				list = append(list, x)
			}
			rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			c.results = []any{list}
		}},
		{name: "Exit", call: func(any, []byte, *commuteCall) { runtime.Goexit() }},
		{name: "Random",
			call: func(_ any, _ []byte, c *commuteCall) { c.results = []any{rand.Int()} }},
	},
	pairs: []commutePair{
		{m: [2]int{0, 0}, holds: func(x, y *commuteCall) bool {
			return !commuteSame(x.vals[0], y.vals[0])
		}, values: [][2]int{{0, 0}}},
		{m: [2]int{0, 0}, holds: func(x, y *commuteCall) bool {
			return commuteIs(x.vals[0], y.vals[0], true) || commuteBool(x.vals[1]) && x.conds[0]
		}},
		{m: [2]int{2, 2}, holds: func(x, y *commuteCall) bool { return true }},
		{m: [2]int{3, 3}, holds: func(x, y *commuteCall) bool { return true }},
	},
}

// ask sends one frame to a server of table.
func ask(t *testing.T, frame string) string {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	s := &commuteServer{commuteTable: &table, in: in, out: out, patience: time.Minute}
	go s.serve()
	defer to.Close()
	if _, err := to.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(frame))),
		frame...)); err != nil {
		t.Fatal(err)
	}
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(from, answer); err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestTry(t *testing.T) {
	const returned = commuteFirst | commuteSecond | commuteTested
	for _, test := range []struct {
		name, cases string
		want        string
	}{
		// pair, steps, after, arguments
		{"different", "\x00\x00\x00\x00\x01\x02",
			string(rune(commuteHeld | commuteCommuted | returned))},
		{"equal", "\x00\x00\x00\x00\x01\x01", string(rune(returned))},
		{"refuted", "\x01\x00\x00\x00\x01\x01", string(rune(commuteHeld | returned))},
		{"already there", "\x00\x00\x02\x00\x00\x00\x01\x00\x01\x01",
			string(rune(commuteCommuted | returned))},
		{"exits", "\x02\x00\x00\x01\x02", string(rune(commuteCommuted))},
		{"random", "\x03\x00\x00\x00", string(rune(commuteHeld | commuteCommuted | returned))},
		{"two cases", "\x02\x00\x00\x01\x02\x01\x00\x00\x00\x01\x01",
			string([]rune{commuteCommuted, commuteHeld | returned})},
	} {
		if got := ask(t, "B"+test.cases); got != "R"+test.want {
			t.Errorf("%s: flags %q, want %q", test.name, got[1:], test.want)
		}
	}
}

// TestSample asks what is true of two calls, in either order, and whether they commuted.
func TestSample(t *testing.T) {
	const returned = commuteFirst | commuteSecond | commuteTested | commuteForth | commuteBack
	for _, test := range []struct {
		name, cases string
		flags       byte
		truths      [2]uint64 // had1, had2, and that the arguments differ
	}{
		{"different", "\x00\x00\x00\x00\x01\x02", commuteCommuted | commuteAlike | returned,
			[2]uint64{4, 4}},
		{"equal", "\x00\x00\x00\x00\x01\x01", commuteAlike | returned, [2]uint64{2, 1}},
		{"already there", "\x00\x00\x02\x00\x00\x00\x01\x00\x01\x01",
			commuteCommuted | commuteAlike | returned, [2]uint64{3, 3}},
		{"exits", "\x02\x00\x00\x01\x02", commuteCommuted | commuteAlike, [2]uint64{}},
	} {
		got := []byte(ask(t, "S"+test.cases))[1:]
		want := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(
			[]byte{test.flags}, test.truths[0]), test.truths[1])
		if string(got) != string(want) {
			t.Errorf("%s: %v, want %v", test.name, got, want)
		}
	}
}

// TestOddities learns which methods have random results, and which ones do something.
func TestOddities(t *testing.T) {
	s := &commuteServer{commuteTable: &table, patience: time.Minute}
	s.prepare()
	for i := range 5 {
		x := byte(i % 3)
		s.sample(commuteCase{pair: 0, ab: [2]commuteStep{{0, []byte{x}}, {0, []byte{1}}}}, nil)
		s.sample(commuteCase{pair: 3, ab: [2]commuteStep{{3, nil}, {3, nil}}}, nil)
	}
	r := s.random()
	if !slices.Equal(r.Always, []int{3}) || !slices.Equal(r.Random, []int{3}) ||
		!slices.Equal(r.Work, []int{0, 3}) {
		t.Errorf("%+v, want that Random is random, and that it and Add do something", r)
	}
}

func TestExplain(t *testing.T) {
	var d commuteDifference
	answer := ask(t, "E\x01\x00\x00\x00\x01\x01")
	if err := json.Unmarshal([]byte(answer[1:]), &d); err != nil {
		t.Fatal(err)
	}
	if !d.Differs || d.Outcome != 0 || d.Texts != [2]string{"false, the object",
		"true, the object"} || len(d.Views) > 0 || d.Ends {
		t.Errorf("%s", answer)
	}
}

func TestEqual(t *testing.T) {
	type node struct {
		next *node
		x    any
	}
	loop := func(x any) *node {
		n := &node{x: x}
		n.next = n
		return n
	}
	for i, test := range []struct {
		x, y any
		want bool
	}{
		{nil, nil, true}, {nil, 0, false}, {1, 1, true}, {1, int64(1), false}, {"a", "b", false},
		{true, true, true},
		{math.NaN(), math.NaN(), true}, {math.NaN(), 1.0, false},
		{[]float64{math.NaN()}, []float64{math.NaN()}, true},
		{errors.New("a"), errors.New("a"), true}, {errors.New("a"), errors.New("b"), false},
		{[]error{errors.New("a")}, []error{errors.New("a")}, true},
		{func() {}, func() {}, true}, {(func())(nil), func() {}, false},
		{make(chan int), make(chan int), true},
		{[]int(nil), []int{}, false}, {[]int{1}, []int{1}, true}, {[]int{1}, []int{2}, false},
		{map[string]float64{"a": math.NaN()}, map[string]float64{"a": math.NaN()}, true},
		{map[string]int{"a": 1}, map[string]int{"b": 1}, false},
		{struct{ f func() }{func() {}}, struct{ f func() }{func() {}}, true},
		{loop(1), loop(1), true}, {loop(1), loop(2), false}, {loop(math.NaN()), loop(math.NaN()),
			true},
	} {
		if got := commuteEqual(test.x, test.y); got != test.want {
			t.Errorf("%d: %v and %v are equal: %v, want %v", i, test.x, test.y, got, test.want)
		}
	}
}

// TestEqualRing compares elements of rings, from each of which many ways lead to all others: to
// follow each of them would take for ever.
func TestEqualRing(t *testing.T) {
	type element struct {
		next [8]*element
		x    any
	}
	ring := func(n int, last any) *element {
		list := make([]element, n)
		for i := range list {
			for k := range list[i].next {
				list[i].next[k] = &list[(i+k+1)%n]
			}
			list[i].x = math.NaN() // which reflect.DeepEqual finds unequal
		}
		list[n-1].x = last
		return &list[0]
	}
	if !commuteEqual(ring(60, 1), ring(60, 1)) {
		t.Error("equal rings are not equal")
	}
	if commuteEqual(ring(60, 1), ring(60, 2)) {
		t.Error("rings with another element are equal")
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		call commuteCall
		want string
	}{
		{commuteCall{}, "nothing"},
		{commuteCall{results: []any{1, "a", nil, errors.New("no"), time.Second, []int{1},
			commuteSelf{}, (*int)(nil)}}, `1, "a", nil, error "no", 1s, []int{1}, the object, nil`},
		{commuteCall{end: "panics: 1"}, "panics: 1"},
		{commuteCall{visited: []any{[]any{1, "a"}, []any{2, "b"}}},
			`calls its parameter with (1, "a"), (2, "b")`},
		{commuteCall{results: []any{true}, visited: []any{[]any{1}}},
			"true and calls its parameter with (1)"},
	} {
		if got := test.call.text(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestNoEnvironment(t *testing.T) {
	commuteServe(&table) // returns
}
