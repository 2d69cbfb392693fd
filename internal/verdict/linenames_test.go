// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

// racyTypes are the types of a program whose races are on fields that it knows the addresses of.
const racyTypes = `package racy

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
	"unsafe"
)

func init() { runtime.GOMAXPROCS(1) }

type inner struct {
	a, b int
	arr  [3]int
}

type base struct{ n int }

type embedded struct{ e, f int }

type object struct {
	base
	*embedded
	x, y   int
	in     inner
	q      *inner
	p      *int
	s      []int
	m, w   map[int]int
	anon   struct{ u, v int }
	text   string
	v      any
	list   []inner
}

var global, other int

func newObject() *object {
	return &object{embedded: new(embedded), q: new(inner), p: new(int), s: make([]int, 4),
		m: map[int]int{}, w: map[int]int{}, list: make([]inner, 2)}
}

func (o *object) get() int { return o.y }

func (o *object) set(n int) { o.in.b = n }

func (i inner) sum() int { return i.a + i.b }

//go:noinline
func twice(a, b int) int { return a + b }

func id[T any](v T) T { return v }

func at[T any](name string, p *T) {
	fmt.Printf("name %s %#x %d\n", name, uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// inside tells where a map is that a variable leads to.
func inside(name string, p *map[int]int) {
	fmt.Printf("name %s %#x %d\n", name, *(*uintptr)(unsafe.Pointer(p)), 48)
}

func (o *object) names(local *int) {
	at("base.n", &o.n)
	at("object.base", &o.base)
	at("object.embedded", &o.embedded)
	at("embedded.e", &o.e)
	at("embedded.f", &o.f)
	at("object.x", &o.x)
	at("object.y", &o.y)
	at("object.in", &o.in)
	at("object.q", &o.q)
	at("object.p", &o.p)
	at("object.s", &o.s)
	at("object.m", &o.m)
	at("object.w", &o.w)
	inside("object.m", &o.m)
	inside("object.w", &o.w)
	at("object.anon", &o.anon)
	at("object.anon.u", &o.anon.u)
	at("object.anon.v", &o.anon.v)
	at("object.text", &o.text)
	at("object.v", &o.v)
	at("object.list", &o.list)
	for _, i := range []*inner{&o.in, o.q, &o.list[0], &o.list[1]} {
		at("inner.a", &i.a)
		at("inner.b", &i.b)
		at("inner.arr", &i.arr)
	}
	at("global", &global)
	at("other", &other)
	at("local", local)
}
`

// A racer writes statements that access an object.
type racer struct {
	*rand.Rand
	often string // a variable that both goroutines access often
}

func (r racer) of(list ...string) string { return list[r.Intn(len(list))] }

// variable is one that can be assigned to.
func (r racer) variable() string {
	if r.often != "" && r.Intn(4) > 0 {
		return r.often
	}
	return r.of("o.x", "o.y", "o.n", "o.base.n", "o.e", "o.embedded.f", "o.in.a", "o.in.b",
		"o.in.arr[1]", "o.q.a", "o.q.arr[2]", "*o.p", "o.s[1]", "o.m[1]", "o.w[2]",
		"o.anon.u", "o.anon.v",
		"global", "other", "local", "o.list[1].b", "o.list[0].arr[0]", "(*o).x", "(o.y)")
}

// value is an expression for an int.
func (r racer) value(depth int) string {
	if depth == 0 || r.Intn(3) == 0 {
		return r.of("1", "7", r.variable(), r.variable())
	}
	x, y := r.value(depth-1), r.value(depth-1)
	return r.of(x+" + "+y, "twice("+x+", "+y+")", "o.get()", "id("+x+")", "len(o.s)", "len(o.text)",
		"o.in.sum()", "o.q.sum()", "len(o.m)", "min("+x+", "+y+")", "func() int { return "+x+" }()",
		"len(strconv.Itoa("+x+"))", "(inner{a: "+x+"}).a", "([]int{"+x+", 2}[0])", "len(o.list)",
		"o.list[0].sum()", x+" +\n\t\t"+y)
}

// addressable puts a variable with an address in the place of others.
var addressable = strings.NewReplacer("*o.p", "o.x", "o.m[1]", "o.y", "o.w[2]", "o.x")

// statement is one or more lines.
func (r racer) statement() string {
	v, w, e, f := r.variable(), r.variable(), r.value(2), r.value(2)
	if r.Intn(2) == 0 {
		return r.of(v+" = "+e, v+" += "+e, v+"++")
	}
	return r.of(v+", "+w+" = "+e+", "+f,
		"if "+e+" > 3 {\n\t\t"+v+" = "+f+"\n\t}",
		"for i := 0; i < 1+"+e+"%2; i++ {\n\t\t"+v+" += "+f+"\n\t}",
		"switch "+e+" {\n\tcase "+f+":\n\tdefault:\n\t\t"+v+" = 2\n\t}",
		"o.set("+e+")", "o.in = inner{a: "+e+"}", "c := o.in; sink = c.a", "func() { "+v+" = "+e+" }()",
		"p := &"+addressable.Replace(v)+"; *p = "+e,
		"o.s = append(o.s[:1], "+e+", 1, 2)", "copy(o.s, []int{"+e+"})", "o.text += strconv.Itoa("+e+")",
		"o.v = "+e, "_, ok := o.v.(int); _ = ok", "o.list[1] = o.list[0]", "*o.q = o.in",
		"sink = "+e, "sink =\n\t\t"+e+" +\n\t\t\t"+f, "defer func() { sink = "+e+" }()",
		"for _, n := range o.s {\n\t\t"+v+" = n\n\t}", "for range o.in.arr {\n\t\tsink = "+e+"\n\t}",
		"delete(o.m, "+e+")", "clear(o.w)", "for range o.w {\n\t\tsink = "+e+"\n\t}",
		"o.base = base{"+e+"}", "o.anon = struct{ u, v int }{1, "+e+"}",
		"t := "+e+"; go func() { t++ }()", "o.p = &o.x", "o.q = new(inner)")
}

// program is the test file: each test has two goroutines that nothing orders.
func (r racer) program(tests int) string {
	var b strings.Builder
	b.WriteString(racyTypes)
	for i := range tests {
		fmt.Fprintf(&b, "\nfunc TestRace%d(t *testing.T) {\n\tvar wg sync.WaitGroup\n"+
			"\tvar local int\n\to := newObject()\n\to.names(&local)\n", i)
		r.often = ""
		r.often = r.variable()
		// The second goroutine comes later, and on one processor, on a busy machine too: no map is
		// written by two at once.
		for k := range 2 {
			fmt.Fprintf(&b, "\twg.Go(func() {\n\t\tdefer func() { recover() }()\n"+
				"\t\ttime.Sleep(%d * time.Millisecond)\n\t\tsink := 0\n\t\t{\n\t\t%s\n\t\t}\n"+
				"\t\t_ = sink\n\t})\n", 2*k, r.statement())
		}
		b.WriteString("\twg.Wait()\n}\n")
	}
	return b.String()
}

var namedAt = regexp.MustCompile(`(?m)^name (\S+) 0x([0-9a-f]+) (\d+)$`)

// TestLineNames has random races on what a program knows the addresses of, and wants each name that
// a report has to be right.
func TestLineNames(t *testing.T) {
	t.Parallel()
	tool, dir := commute(t), t.TempDir()
	r := racer{Rand: rand.New(rand.NewSource(1))}
	for name, text := range map[string]string{"go.mod": "module example.com/racy\n\ngo 1.26\n",
		"racy_test.go": r.program(300)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, "test", "-count=1", "-datarace", "-vet=off", "-v",
		"-max_reports=5000", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("nothing is found:\n%s", out)
	}
	type place struct{ start, size uint64 }
	known := make(map[string][]place)
	for _, m := range namedAt.FindAllStringSubmatch(string(out), -1) {
		start, _ := strconv.ParseUint(m[2], 16, 64)
		size, _ := strconv.ParseUint(m[3], 10, 64)
		known[m[1]] = append(known[m[1]], place{start, size})
	}
	names, nameless := 0, 0
	for _, f := range report.Parse(out) {
		if f.Kind != report.DataRace {
			continue
		}
		if f.Object == nil || f.Object.Name == "" {
			nameless++
			continue
		}
		names++
		at, _ := strconv.ParseUint(strings.TrimPrefix(f.At.Address, "0x"), 16, 64)
		right := false
		for _, p := range known[f.Object.Name] {
			right = right || p.start <= at && at < p.start+p.size
		}
		if !right {
			t.Errorf("%#x is not %s:\n%s", at, f.Object.Name, f.Report)
		}
	}
	t.Logf("%d races have names, %d have none", names, nameless)
	if names < 50 {
		t.Errorf("%d races have names: that is no test\n%s", names, out[max(0, len(out)-6000):])
	}
}
