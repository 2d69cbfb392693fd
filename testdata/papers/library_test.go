// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import "testing"

// beside is a method of a vector that looks at another one, and a change of that one.
func beside(look func(v, o *Vector), change func(o *Vector)) func() (first, other func()) {
	return func() (first, other func()) {
		v, o := vectorOf(2, 3, 4), vectorOf(1, 2, 3)
		return func() { look(v, o) }, func() { change(o) }
	}
}

func TestRaceVector(t *testing.T) {
	interrupt(t, []scene{
		{"NewFrom", beside(func(_, o *Vector) { NewFrom(o) }, (*Vector).Remove)},
		{"AddAll", beside((*Vector).AddAll, (*Vector).Remove)},
		{"RemoveAll", beside((*Vector).RemoveAll, (*Vector).Remove)},
		{"RetainAll", beside((*Vector).RetainAll, (*Vector).RemoveAllElements)},
		{"ContainsAll", beside(func(v, o *Vector) { v.ContainsAll(o) }, (*Vector).Remove)},
		{"Equal", beside(func(v, o *Vector) { v.Equal(o) }, (*Vector).Remove)},
		{"LastIndexOf", beside(func(_, o *Vector) { o.LastIndexOf(1) }, (*Vector).Remove)},
		{"Elements", beside(func(_, o *Vector) { o.Elements() }, (*Vector).RemoveAllElements)},
	})
}

func TestNoRaceVector(t *testing.T) {
	invite(t, []scene{
		{"SafeNewFrom", beside(func(_, o *Vector) { SafeNewFrom(o) }, (*Vector).Remove)},
		{"SafeAddAll", beside((*Vector).SafeAddAll, (*Vector).Remove)},
		{"SafeRemoveAll", beside((*Vector).SafeRemoveAll, (*Vector).Remove)},
		{"SafeEqual", beside(func(v, o *Vector) { v.SafeEqual(o) }, (*Vector).Remove)},
		{"Insert", beside((*Vector).SafeAddAll, func(o *Vector) {
			o.Insert(1)
			o.RemoveRange()
			o.SetSize()
			o.EnsureCapacity()
		})},
	})
}

func TestRaceStack(t *testing.T) {
	interrupt(t, []scene{
		{"AddAll", beside((*Vector).AddAll, func(o *Vector) { o.Pop() })},
		{"Elements", beside(func(_, o *Vector) { o.Elements() }, func(o *Vector) { o.Push(1) })},
	})
}

func TestNoRaceStack(t *testing.T) {
	invite(t, []scene{{"SafeAddAll", beside((*Vector).SafeAddAll, func(o *Vector) {
		o.Pop()
		o.Push(1)
	})}})
}

func TestRaceStringBuffer(t *testing.T) {
	interrupt(t, []scene{{"Append", func() (first, other func()) {
		b, o := new(StringBuffer), &StringBuffer{text: []byte("abc")}
		return func() { b.Append(o) }, o.Delete
	}}})
}

func TestNoRaceStringBuffer(t *testing.T) {
	invite(t, []scene{{"SafeAppend", func() (first, other func()) {
		b, o := new(StringBuffer), &StringBuffer{text: []byte("abc")}
		return func() { b.SafeAppend(o); b.SetLength(0) }, func() { o.Delete(); o.Insert('d') }
	}}})
}

// filled is a table with two entries.
func filled() *Hashtable {
	h := new(Hashtable)
	h.Put(0, 1)
	h.Put(1, 2)
	return h
}

// besideTable is a method of a table that looks at another one, and a change of that one.
func besideTable(look func(h, o *Hashtable)) func() (first, other func()) {
	return func() (first, other func()) {
		h, o := new(Hashtable), filled()
		return func() { look(h, o) }, func() {
			o.Remove(1)
			o.Put(2, 3)
			o.Get(0)
		}
	}
}

func TestRaceHashtable(t *testing.T) {
	interrupt(t, []scene{
		{"PutAll", besideTable((*Hashtable).PutAll)},
		{"Equal", besideTable(func(h, o *Hashtable) { h.Equal(o) })},
		{"ToString", besideTable(func(_, o *Hashtable) { o.ToString() })},
		{"HashCode", besideTable(func(_, o *Hashtable) { o.HashCode() })},
	})
}

func TestNoRaceHashtable(t *testing.T) {
	invite(t, []scene{
		{"SafePutAll", besideTable((*Hashtable).SafePutAll)},
		{"SafeHashCode", besideTable(func(_, o *Hashtable) { o.SafeHashCode() })},
	})
}
