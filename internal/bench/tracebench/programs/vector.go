// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package programs

// A vector is that of JDK 1.4.2: its lock is taken by each method, its count and its number of
// modifications are read without the lock by some.
type vector struct {
	mu         *mutex
	count, mod *cell
	data       []*cell
}

const most = 8 // elements of a vector

func newVector(t *thread, elements ...int) *vector {
	v := &vector{t.mutex(), t.cell(), t.cell(), t.array(most)}
	for i, e := range elements {
		v.data[i].v = e
	}
	v.count.v = len(elements)
	return v
}

func (v *vector) length(t *thread) int {
	t.lock(v.mu)
	defer t.unlock(v.mu)
	return t.get(v.count)
}

func (v *vector) elements(t *thread) (list []int) {
	t.lock(v.mu)
	defer t.unlock(v.mu)
	for _, c := range v.data[:t.get(v.count)] {
		list = append(list, t.get(c))
	}
	return list
}

// at is an element, 0 if there is none.
func (v *vector) at(t *thread, i int) int {
	t.lock(v.mu)
	defer t.unlock(v.mu)
	if i >= t.get(v.count) {
		return 0
	}
	return t.get(v.data[i])
}

func (v *vector) contains(t *thread, e int) bool {
	t.lock(v.mu)
	defer t.unlock(v.mu)
	for _, c := range v.data[:t.get(v.count)] {
		if t.get(c) == e {
			return true
		}
	}
	return false
}

// change counts a modification, and makes it, under the lock.
func (v *vector) change(t *thread, f func(n int) int) {
	t.lock(v.mu)
	defer t.unlock(v.mu)
	t.set(v.mod, t.get(v.mod)+1)
	n := t.get(v.count)
	if m := f(n); m != n {
		t.set(v.count, m)
	}
}

func (v *vector) add(t *thread, e int) {
	v.change(t, func(n int) int {
		if n == most {
			return n
		}
		t.set(v.data[n], e)
		return n + 1
	})
}

func (v *vector) insert(t *thread, e, at int) {
	v.change(t, func(n int) int {
		if n == most || at > n {
			return n
		}
		for i := n; i > at; i-- {
			t.set(v.data[i], t.get(v.data[i-1]))
		}
		t.set(v.data[at], e)
		return n + 1
	})
}

// cut removes the elements from lo on and before hi.
func (v *vector) cut(t *thread, lo, hi int) {
	v.change(t, func(n int) int {
		if hi = min(hi, n); lo >= hi {
			return n
		}
		for i := hi; i < n; i++ {
			t.set(v.data[i-hi+lo], t.get(v.data[i]))
		}
		return n - (hi - lo)
	})
}

// keep removes the elements that are, or are not, in another vector, which is asked of each.
func (v *vector) keep(t *thread, o *vector, in bool) {
	t.lock(v.mu)
	defer t.unlock(v.mu)
	for i := 0; i < t.get(v.count); {
		if o.contains(t, t.get(v.data[i])) == in {
			i++
		} else {
			v.cut(t, i, i+1)
		}
	}
}

// A change is a method that modifies a vector.
type change struct {
	name string
	do   func(t *thread, v *vector)
}

// changes are the ten that are atomic, and add 1 to the number of modifications.
var changes = []change{
	{"Add", func(t *thread, v *vector) { t.atomic("Add", func() { v.add(t, 1) }) }},
	{"AddElement", func(t *thread, v *vector) { t.atomic("AddElement", func() { v.add(t, 2) }) }},
	{"InsertAt", func(t *thread, v *vector) { t.atomic("InsertAt", func() { v.insert(t, 3, 0) }) }},
	{"Remove", func(t *thread, v *vector) { t.atomic("Remove", func() { v.cut(t, 0, 1) }) }},
	{"RemoveAt", func(t *thread, v *vector) { t.atomic("RemoveAt", func() { v.cut(t, 1, 2) }) }},
	{"RemoveRange", func(t *thread, v *vector) { t.atomic("RemoveRange", func() { v.cut(t, 0, 2) }) }},
	{"EnsureCapacity", func(t *thread, v *vector) {
		t.atomic("EnsureCapacity", func() { v.change(t, func(n int) int { return n }) })
	}},
	{"TrimToSize", func(t *thread, v *vector) {
		t.atomic("TrimToSize", func() { v.change(t, func(n int) int { return n }) })
	}},
	{"SetSize", func(t *thread, v *vector) {
		t.atomic("SetSize", func() { v.change(t, func(int) int { return 3 }) })
	}},
	{"RemoveAllElements", func(t *thread, v *vector) {
		t.atomic("RemoveAllElements", func() { v.cut(t, 0, most) })
	}},
}

// A look is a method of a vector that looks at another one.
type look struct {
	name string
	do   func(t *thread, v, o *vector)
}

var bulk = []look{
	{"AddAll", func(t *thread, v, o *vector) {
		t.atomic("AddAll", func() {
			t.lock(v.mu)
			defer t.unlock(v.mu)
			room := o.length(t)
			for i, e := range o.elements(t) {
				if i < room {
					v.add(t, e)
				}
			}
		})
	}},
	{"RemoveAll", func(t *thread, v, o *vector) {
		t.atomic("RemoveAll", func() { v.keep(t, o, false) })
	}},
	{"RetainAll", func(t *thread, v, o *vector) {
		t.atomic("RetainAll", func() { v.keep(t, o, true) })
	}},
	{"ContainsAll", func(t *thread, v, o *vector) {
		t.atomic("ContainsAll", func() {
			for i := 0; i < o.length(t); i++ {
				v.contains(t, o.at(t, i))
			}
		})
	}},
	{"Equal", func(t *thread, v, o *vector) {
		t.atomic("Equal", func() {
			t.lock(v.mu)
			defer t.unlock(v.mu)
			mod := t.get(o.mod)
			for i := 0; i < t.get(v.count) && i < o.length(t) && t.get(o.mod) == mod; i++ {
				o.at(t, i)
			}
		})
	}},
	{"LastIndexOf", func(t *thread, _, o *vector) {
		t.atomic("LastIndexOf", func() {
			n := t.get(o.count)
			t.lock(o.mu)
			defer t.unlock(o.mu)
			for i := min(n, t.get(o.count)) - 1; i >= 0 && t.get(o.data[i]) != 1; i-- {
			}
		})
	}},
	{"Elements", func(t *thread, _, o *vector) {
		t.atomic("Elements", func() {
			for i := 0; i < t.get(o.count); i++ {
				o.at(t, i)
			}
		})
	}},
}

// newFrom is the constructor of the paper's figure 1.
var newFrom = look{"NewFrom", func(t *thread, _, o *vector) {
	t.atomic("NewFrom", func() {
		v := newVector(t)
		n := o.length(t)
		t.set(v.count, n)
		for i, e := range o.elements(t) {
			if i < n {
				t.set(v.data[i], e)
			}
		}
	})
}}

// vectors has each method that looks at a vector run beside all that change it: a phase for each.
func vectors(t *thread, work int) {
	lookAndChange(t, work, append(bulk[:len(bulk):len(bulk)], newFrom), changes)
}

// lookAndChange has a phase for each method.
func lookAndChange(t *thread, work int, looks []look, changes []change) {
	for range work {
		for _, l := range looks {
			shared := newVector(t, 1, 2, 3)
			t.together(func(t *thread) {
				own := newVector(t, 2, 3, 4)
				for range 3 {
					l.do(t, own, shared)
				}
			}, func(t *thread) {
				for i := range changes {
					changes[i].do(t, shared)
				}
			}, func(t *thread) {
				for i := range changes {
					changes[len(changes)-1-i].do(t, shared)
				}
			})
		}
	}
}

// stacks is as vectors, of a stack, which adds push and pop. It has no constructor from another.
func stacks(t *thread, work int) {
	lookAndChange(t, work, bulk, append(changes[:len(changes):len(changes)],
		change{"Push", func(t *thread, v *vector) { t.atomic("Push", func() { v.add(t, 4) }) }},
		change{"Pop", func(t *thread, v *vector) {
			t.atomic("Pop", func() {
				t.lock(v.mu)
				defer t.unlock(v.mu)
				if n := t.get(v.count); n > 0 {
					t.get(v.data[n-1])
					v.cut(t, n-1, n)
				}
			})
		}}))
}

// stringBuffer appends a buffer to others: its length is asked for, and then its characters.
func stringBuffer(t *thread, work int) {
	shared := newVector(t, 1, 2, 3)
	t.together(append(each(2, func(t *thread, _ int) {
		own := newVector(t)
		for range 2 * work {
			t.atomic("Append", func() {
				t.lock(own.mu)
				defer t.unlock(own.mu)
				n := shared.length(t)
				list := shared.elements(t)
				for _, e := range list[:min(n, len(list))] {
					own.add(t, e)
				}
			})
			t.atomic("SetLength", func() { own.cut(t, 0, most) })
		}
	}), func(t *thread) {
		for range 2 * work {
			t.atomic("Delete", func() { shared.cut(t, 0, 1) })
			t.atomic("Insert", func() { shared.insert(t, 5, 0) })
		}
	})...)
}
