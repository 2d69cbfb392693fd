// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

var opNames = map[compiled.TouchOp]string{
	compiled.ReadVar: "read", compiled.WriteVar: "write", compiled.UpdateVar: "update",
	compiled.Lookup: "lookup", compiled.Insert: "insert", compiled.Update: "update key",
	compiled.Delete: "delete", compiled.Len: "len", compiled.ReadAll: "read all",
	compiled.WriteAll: "write all", compiled.ReadInner: "read inner",
	compiled.WriteInner: "write inner", compiled.ReadBacking: "read backing",
	compiled.WriteBacking: "write backing",
}

var noteMark = regexp.MustCompile(`// = (.*)$`)

// notesOf says what a result has in each line: touches, and sections that begin there.
func notesOf(t *testing.T, text string) (got, want []string) {
	pkg := source(t, text)
	r := Find(pkg, nil)
	checkResult(t, pkg, r)
	for _, touch := range r.Touches {
		note := fmt.Sprintf("%d %s %s", pkg.Fset.Position(touch.Pos).Line, opNames[touch.Op],
			types.ExprString(touch.Var))
		if touch.Key != nil {
			note += " at " + types.ExprString(touch.Key)
		}
		got = append(got, note)
	}
	for _, l := range r.Locks {
		note := "opaque"
		if l.Complete {
			note = "complete"
		}
		got = append(got, fmt.Sprintf("%d %s %s", pkg.Fset.Position(l.Call.Pos()).Line, note,
			types.ExprString(l.Recv)))
	}
	for i, line := range strings.Split(text, "\n") {
		if m := noteMark.FindStringSubmatch(line); m != nil {
			for note := range strings.SplitSeq(m[1], "; ") {
				want = append(want, fmt.Sprintf("%d %s", i+1, note))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	return got, want
}

// hotLock is a function with a pair, so that T.mu is a hot lock.
const hotLock = `
func (t *T) hot() {
	t.mu.Lock() // = complete t.mu
	n := t.n // = read t.n
	t.mu.Unlock()
	work()
	t.mu.Lock() // = complete t.mu
	t.n = n + 1 // = write t.n
	t.mu.Unlock()
}
`

// TestTouches compares what is noted in sections with what the comments of their sources tell.
func TestTouches(t *testing.T) { compareNotes(t, touchSources) }

// packagesOf are the imports that a source may need, by how it uses them.
var packagesOf = map[string]string{"list.List": "container/list", "bufio.": "bufio", "fmt.": "fmt",
	"bytes.": "bytes", "binary.": "encoding/binary"}

func compareNotes(t *testing.T, sources map[string]string) {
	for name, text := range sources {
		t.Run(name, func(t *testing.T) {
			text := preamble + hotLock + text
			for use, path := range packagesOf {
				if strings.Contains(text, use) {
					text = strings.Replace(text, `import (`, "import (\n\""+path+"\"", 1)
				}
			}
			got, want := notesOf(t, text)
			if !slices.Equal(got, want) {
				t.Errorf("\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"),
					text)
			}
		})
	}
}

var touchSources = map[string]string{
	"map": `
func (t *T) F(k string) {
	t.mu.Lock() // = complete t.mu
	defer t.mu.Unlock()
	if v, ok := t.m[k]; ok && v > 0 { // = lookup t.m at k
		t.m[k] = v - 1 // = insert t.m at k
	}
	t.m[k]++ // = update key t.m at k
	delete(t.m, k) // = delete t.m at k
	if len(t.m) == 0 { // = len t.m
		clear(t.m) // = write all t.m
	}
	for k := range t.m { // = read all t.m
		println(k)
	}
}`,
	"written map": `
func (t *T) F(k string) {
	t.mu.Lock() // = complete t.mu
	if t.m == nil { // = read t.m
		t.m = make(map[string]int) // = write t.m
	}
	t.m[k] = 1 // = read t.m; insert t.m at k
	t.mu.Unlock()
}`,
	"fields": `
func (t *T) F(k int) {
	t.mu.Lock() // = complete t.mu
	t.n++ // = update t.n
	t.n += k // = update t.n
	t.n = t.n + k // = update t.n
	t.flag, t.n = true, k // = write t.flag; write t.n
	t.mu.Unlock()
}`,
	"slices": `
func (t *T) F(k int) {
	t.mu.Lock() // = complete t.mu
	t.s = append(t.s, k) // = update t.s; write backing t.s
	n := t.s[k] // = read t.s; read inner t.s; read backing t.s
	t.s[0] = n // = read t.s; write inner t.s; write backing t.s
	for _, v := range t.s { // = read t.s; read inner t.s; read backing t.s
		println(v)
	}
	t.mu.Unlock()
}`,
	"counters of coverage": `
var goCover_ab12_0 [4]uint32

func (t *T) F(k int) {
	t.mu.Lock() // = complete t.mu
	goCover_ab12_0[1]++
	atomic.AddUint32(&goCover_ab12_0[2], 1)
	t.n = k // = write t.n
	t.mu.Unlock()
}`,
	"alias of a slice": `
func (t *T) F(list []int) {
	t.mu.Lock() // = complete t.mu
	s := t.s // = read t.s
	s[0] = 1 // = write backing s
	t.mu.Unlock()
	t.mu.Lock() // = complete t.mu
	list[0] = 1 // = write backing list
	t.mu.Unlock()
	t.mu.Lock() // = complete t.mu
	for _, v := range s[1:] { // = read backing s[1:]
		println(v)
	}
	t.mu.Unlock()
	t.s = nil
}`,
	"no update": `
func (t *T) F(k int) {
	t.mu.Lock() // = complete t.mu
	n := t.n // = read t.n
	work()
	t.n = n + 1 // = write t.n
	t.s = append(t.s[:0], k) // = read t.s; write t.s; write backing t.s
	t.mu.Unlock()
}`,
	"constant field": `
type C struct {
	t *T
	m map[string]int
}

func newC(t *T) *C { return &C{t: t, m: make(map[string]int)} }

func (c *C) F(k string) {
	c.t.mu.Lock() // = complete c.t.mu
	c.m[k] = 1 // = insert c.m at k
	c.t.mu.Unlock()
}`,
	"field of two types": `
type C struct{ n int }

type D struct{ n int }

func (d *D) set() { d.n = 1 }

func (t *T) F(c *C) int {
	(*D)(c).set()
	t.mu.Lock() // = complete t.mu
	defer t.mu.Unlock()
	return c.n // = read c.n
}`,
	"own object": `
func (t *T) F(k string) {
	t.mu.Lock() // = complete t.mu
	e := &T{n: 1}
	e.n = 2
	t.p[k] = e // = insert t.p at k
	e.k = k // = write e.k
	list := []int{1}
	list[0] = 2
	t.mu.Unlock()
}`,
	"if init": `
func (t *T) F() {
	t.mu.Lock() // = opaque t.mu
	if t.n = 1; t.n > 0 { // = read t.n
		work()
	}
	t.mu.Unlock()
}`,
	"impure key": `
func key() string { return "" }

func (t *T) F() {
	t.mu.Lock() // = opaque t.mu
	t.m[key()] = 1
	t.mu.Unlock()
}`,
	"call beside a read": `
var calls int

func count() int { calls++; return 1 } // = update calls

func (t *T) F() int {
	t.mu.Lock() // = opaque t.mu
	defer t.mu.Unlock()
	return t.n + count()
}`,
	"call in an argument": `
func (t *T) F() {
	t.mu.Lock() // = complete t.mu
	defer t.mu.Unlock()
	fmt.Println("n", t.n, len(t.k)) // = read t.n
}`,
	"call changes the base": `
func (t *T) next() *T {
	t.p = nil // = write t.p
	return nil
}

func (t *T) F(k string) {
	t.mu.Lock() // = opaque t.mu
	t.p[k].n = t.next().n // = read t.next().n
	t.mu.Unlock()
}`,
	"assigned key": `
func (t *T) F(k string) {
	t.mu.Lock() // = opaque t.mu
	k, t.m[k] = "b", 2
	t.mu.Unlock()
}`,
	"named bool": `
type yes bool

func (t *T) F(k string) (found yes) {
	t.mu.Lock() // = opaque t.mu
	defer t.mu.Unlock()
	_, found = t.m[k]
	return found
}`,
	"select": `
func (t *T) F(c map[string]chan int) {
	t.mu.Lock() // = opaque t.mu
	select {
	case c["x"] <- t.n:
	default:
		t.n = 1 // = write t.n
	}
	t.mu.Unlock()
}`,
	"function value": `
func (t *T) F(f func()) {
	t.mu.Lock() // = opaque t.mu
	f()
	t.mu.Unlock()
}`,
	"foreign code gets the state": `
func (t *T) F() {
	t.mu.Lock() // = opaque t.mu
	fmt.Println(t)
	t.mu.Unlock()
}`,
	"helper": `
func (t *T) addLocked(k string) { t.m[k] = 1 } // = insert t.m at k

func (t *T) F(k string) {
	t.mu.Lock() // = complete t.mu
	t.addLocked(k)
	t.mu.Unlock()
}`,
	"literal under a callee's lock": `
func (t *T) locked(f func()) {
	t.mu.Lock() // = complete t.mu
	defer t.mu.Unlock()
	f()
}

func (t *T) F() {
	t.locked(func() { t.n++ }) // = update t.n
}`,
	"exported taker of literals": `
func (t *T) Locked(f func()) {
	t.mu.Lock() // = opaque t.mu
	defer t.mu.Unlock()
	f()
}

func (t *T) F() {
	t.Locked(func() { t.n++ }) // = update t.n
}`,
	"deferred code": `
func (t *T) F() {
	defer work()
	t.mu.Lock() // = complete t.mu
	defer t.mu.Unlock()
	t.n = 1 // = write t.n
}

func (t *T) G() {
	t.mu.Lock() // = opaque t.mu
	defer t.mu.Unlock()
	defer work()
	t.n = 1 // = write t.n
}`,
	"lock is let go": `
func (t *T) waitLocked() {
	t.mu.Unlock()
	work()
	t.mu.Lock()
}

func (t *T) F() {
	t.mu.Lock() // = complete t.mu
	t.n = 1 // = write t.n
	t.waitLocked()
	t.n = 2 // = write t.n
	t.mu.Unlock()
}`,
	"container": `
type L struct {
	mu   sync.Mutex
	list list.List
	elem *list.Element
}

func (l *L) F(t *T) {
	t.mu.Lock() // = complete t.mu
	l.list.PushBack(1) // = write inner l.list
	if l.list.Len() > 3 { // = read inner l.list
		l.elem = l.list.Front() // = write l.elem; read inner l.list
	}
	t.mu.Unlock()
}`,
	"container that calls": `
type W struct {
	buf *bufio.Writer
	t   *T
}

func (w *W) F() {
	w.t.mu.Lock() // = opaque w.t.mu
	w.buf.Flush() // = write inner w.buf
	w.t.mu.Unlock()
}`,
	"directive": `
//go:nosplit
func (t *T) F() {
	t.mu.Lock()
	t.n = 1
	t.mu.Unlock()
}`,
	"captured": `
func F(t *T) {
	n, m := 0, 1
	go func() {
		t.mu.Lock() // = complete t.mu
		n++ // = update n
		m := m
		m++
		t.mu.Unlock()
	}()
	n = 2
}`,
}
