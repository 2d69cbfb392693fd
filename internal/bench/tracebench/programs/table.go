// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package programs

// A hashtable is that of JDK 1.4.2: a lock, a count, and entries.
type hashtable struct {
	mu      *mutex
	count   *cell
	entries []*cell // by key; 0 is no entry
}

func newTable(t *thread, values ...int) *hashtable {
	h := &hashtable{t.mutex(), t.cell(), t.array(4)}
	for i, v := range values {
		h.entries[i].v = v
	}
	h.count.v = len(values)
	return h
}

func (h *hashtable) size(t *thread) int {
	t.lock(h.mu)
	defer t.unlock(h.mu)
	return t.get(h.count)
}

func (h *hashtable) load(t *thread, key int) int {
	t.lock(h.mu)
	defer t.unlock(h.mu)
	return t.get(h.entries[key])
}

func (h *hashtable) store(t *thread, key, value int) {
	t.lock(h.mu)
	defer t.unlock(h.mu)
	switch was := t.get(h.entries[key]); {
	case was == 0 && value != 0:
		t.set(h.count, t.get(h.count)+1)
	case was != 0 && value == 0:
		t.set(h.count, t.get(h.count)-1)
	}
	t.set(h.entries[key], value)
}

// tables has methods that look at a table entry by entry, beside others that change it: a phase
// for each.
func tables(t *thread, work int) {
	for range work {
		for _, look := range tableLooks {
			shared := newTable(t, 1, 2)
			t.together(func(t *thread) {
				own := newTable(t)
				for range 3 {
					look(t, own, shared)
				}
			}, changeTable(shared), changeTable(shared))
		}
	}
}

var tableLooks = []func(t *thread, h, o *hashtable){
	func(t *thread, h, o *hashtable) {
		t.atomic("PutAll", func() {
			for key, n := 0, o.size(t); key < len(o.entries) && n > 0; key++ {
				h.store(t, key, o.load(t, key))
			}
		})
	},
	func(t *thread, h, o *hashtable) {
		t.atomic("Equal", func() {
			for key, n := 0, o.size(t); key < len(o.entries) && n > 0; key++ {
				h.load(t, key)
				o.load(t, key)
			}
		})
	},
	func(t *thread, _, o *hashtable) {
		t.atomic("ToString", func() {
			for key, n := 0, o.size(t); key < len(o.entries) && n > 0; key++ {
				if o.load(t, key) != 0 {
					n--
				}
			}
		})
	},
	func(t *thread, _, o *hashtable) {
		t.atomic("HashCode", func() {
			for key, n := 0, o.size(t); key < len(o.entries) && n > 0; key++ {
				o.load(t, key)
			}
		})
	},
}

func changeTable(h *hashtable) func(t *thread) {
	return func(t *thread) {
		for i := range 6 {
			t.atomic("Put", func() { h.store(t, i%len(h.entries), i+1) })
			t.atomic("Remove", func() { h.store(t, (i+2)%len(h.entries), 0) })
			t.atomic("Get", func() { h.load(t, i%len(h.entries)) })
		}
	}
}
