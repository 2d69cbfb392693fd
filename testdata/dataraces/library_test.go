// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"bufio"
	"bytes"
	"container/heap"
	"container/list"
	"container/ring"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"text/template"
	"time"
)

// libraries use values of the standard library that are not for two goroutines, or give it memory that is shared.
var libraries = pairs{
	"BytesBuffer": func() (a, b func()) {
		x := new(bytes.Buffer)
		return func() { x.WriteByte(1) }, func() { keep(x.Len()) }
	},
	"BytesBufferRead": func() (a, b func()) {
		x := bytes.NewBufferString("abc")
		read := func() { _, _ = x.ReadByte() }
		return read, read
	},
	"BytesReader": func() (a, b func()) {
		x := bytes.NewReader([]byte("abc"))
		return func() { _, _ = io.ReadAll(x) }, func() { keep(x.Len()) }
	},
	"Bufio": func() (a, b func()) {
		x := bufio.NewWriter(io.Discard)
		write := func() { _, _ = x.WriteString("abc") }
		return write, func() { _ = x.Flush() }
	},
	"ReadInto": func() (a, b func()) {
		x := make([]byte, 3)
		return func() { _, _ = io.ReadFull(strings.NewReader("abc"), x) }, func() { keep(x[1]) }
	},
	"List": func() (a, b func()) {
		x := list.New()
		return func() { x.PushBack(1) }, func() { x.PushFront(1) }
	},
	"ListElement": func() (a, b func()) {
		x := list.New()
		e := x.PushBack(1)
		return func() { x.Remove(e) }, func() { keep(e.Next()) }
	},
	"Ring": func() (a, b func()) {
		x := ring.New(3)
		return func() { x.Value = 1 }, func() { x.Do(func(v any) { keep(v) }) }
	},
	"Heap": func() (a, b func()) {
		x := &intHeap{sort.IntSlice{3, 2, 1}}
		return func() { heap.Push(x, 0) }, func() { keep(x.Len()) }
	},
	"Rand": func() (a, b func()) {
		x := rand.New(rand.NewPCG(1, 2))
		draw := func() { keep(x.IntN(3)) }
		return draw, draw
	},
	"Big": func() (a, b func()) {
		x, y := big.NewInt(7), big.NewInt(8)
		return func() { x.Add(x, y) }, func() { keep(x.Cmp(y)) }
	},
	"BinaryPut": func() (a, b func()) {
		x := make([]byte, 8)
		return func() { binary.LittleEndian.PutUint16(x[3:], 1) }, func() { keep(x[4]) }
	},
	"JSONMarshal": func() (a, b func()) {
		x := newReflected()
		return func() { _, _ = json.Marshal(x) }, func() { x.Number = 1 }
	},
	"JSONUnmarshal": func() (a, b func()) {
		x := newReflected()
		return func() { _ = json.Unmarshal([]byte(`{"Text": "a"}`), x) }, func() { keep(x.Text) }
	},
	"Sprint": func() (a, b func()) {
		x := newReflected()
		return func() { keep(fmt.Sprintf("%+v", x)) }, func() { x.Number = 1 }
	},
	"Sscan": func() (a, b func()) {
		x := new(int)
		return func() { _, _ = fmt.Sscan("7", x) }, func() { keep(*x) }
	},
	"Template": func() (a, b func()) {
		x, t := newReflected(), template.Must(template.New("").Parse("{{.Text}}"))
		return func() { _ = t.Execute(io.Discard, x) }, func() { x.Text = "a" }
	},
	"ErrorsAs": func() (a, b func()) {
		var x *json.SyntaxError
		err := fmt.Errorf("wrapped: %w", new(json.SyntaxError))
		return func() { keep(errors.As(err, &x)) }, func() { keep(x) }
	},
	"Time": func() (a, b func()) {
		x := new(time.Time)
		return func() { *x = time.Now() }, func() { keep(x.Year()) }
	},
	"TimeUnmarshal": func() (a, b func()) {
		x := new(time.Time)
		return func() { _ = x.UnmarshalText([]byte("2026-01-02T03:04:05Z")) }, func() { keep(x.IsZero()) }
	},
	"Scanner": func() (a, b func()) {
		x := bufio.NewScanner(strings.NewReader("a b c"))
		return func() { x.Scan() }, func() { keep(x.Text()) }
	},
}

type intHeap struct{ sort.IntSlice }

func (h *intHeap) Push(x any) { h.IntSlice = append(h.IntSlice, x.(int)) }

func (h *intHeap) Pop() any {
	last := h.IntSlice[h.Len()-1]
	h.IntSlice = h.IntSlice[:h.Len()-1]
	return last
}

func TestRaceLibrary(t *testing.T)   { libraries.races(t) }
func TestNoRaceLibrary(t *testing.T) { libraries.ordered(t) }

// Values that are for any number of goroutines.
func TestNoRaceLibraryConcurrent(t *testing.T) {
	for name, f := range map[string]func() func(){
		"GlobalRand": func() func() { return func() { keep(rand.IntN(3)) } },
		"Template": func() func() {
			t := template.Must(template.New("").Parse("{{.}}"))
			return func() { _ = t.Execute(io.Discard, 1) }
		},
		"JSONOfOneType": func() func() {
			type fresh struct{ A, B int }
			return func() { _, _ = json.Marshal(fresh{}) }
		},
		"Replacer": func() func() {
			r := strings.NewReplacer("a", "b", "cd", "ef") // builds its table on first use
			return func() { keep(r.Replace("abcdef")) }
		},
		"ReaderAt": func() func() {
			r := strings.NewReader("abcdef")
			return func() { _, _ = r.ReadAt(make([]byte, 3), 2) }
		},
		"Location": func() func() { return func() { keep(time.Now().Format(time.RFC850)) } },
		"Errors":   func() func() { return func() { keep(errors.Is(io.EOF, io.ErrUnexpectedEOF)) } },
		"Printf":   func() func() { return func() { _, _ = fmt.Fprintf(io.Discard, "%v %s", 1, "a") } },
	} {
		t.Run(name, func(*testing.T) {
			use := f()
			apart(use, use, use)
			together(use, use, use)
		})
	}
}
