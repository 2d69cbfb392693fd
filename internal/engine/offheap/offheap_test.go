// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offheap

import (
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

type record struct {
	id   int
	text [5]uint64
}

// TestSlabIsTypeStable gets and puts records at random: those in use are never handed out again,
// and keep what is written to them; memory that was put back is used for nothing but records.
func TestSlabIsTypeStable(t *testing.T) {
	var s Slab[record]
	r := rand.New(rand.NewSource(1))
	used := make(map[*record]int)
	seen := make(map[*record]bool)
	var list []*record
	for i := range 100000 {
		if len(list) < r.Intn(600) {
			p := s.Get()
			if used[p] != 0 {
				t.Fatal("a record in use is handed out")
			}
			if uintptr(unsafe.Pointer(p))%8 != 0 {
				t.Fatalf("record at %p", p)
			}
			if p.id != 0 && !seen[p] {
				t.Fatal("a new record is not zero")
			}
			*p = record{id: i + 1}
			used[p], seen[p] = i+1, true
			list = append(list, p)
		} else if len(list) > 0 {
			k := r.Intn(len(list))
			p := list[k]
			if p.id != used[p] {
				t.Fatalf("record %d became %d", used[p], p.id)
			}
			delete(used, p)
			list[k] = list[len(list)-1]
			list = list[:len(list)-1]
			s.Put(p)
			if p.id == 0 {
				t.Fatal("putting a record back changes it, " +
					"which readers without a lock may look at")
			}
		}
	}
	// At most 600 in use, and those in the store, the common store and the chunk at hand.
	if chunk := chunkSize / int(unsafe.Sizeof(record{})); len(seen) > 600+4*batch+chunk {
		t.Errorf("%d records were made for 600", len(seen))
	}
	for a := range seen {
		for _, b := range []int{1, 47} {
			if seen[(*record)(unsafe.Add(unsafe.Pointer(a), b))] {
				t.Fatal("records overlap")
			}
		}
	}
}

// TestLargeRecords has a type of which no two fit into a chunk.
func TestLargeRecords(t *testing.T) {
	var s Slab[[chunkSize/8 + 1]uint64]
	a, b := s.Get(), s.Get()
	a[len(a)-1], b[0] = 1, 2
	if a == b || a[len(a)-1] != 1 {
		t.Error("large records overlap")
	}
	s.Put(a)
	if s.Get() != a {
		t.Error("a large record is not used again")
	}
}

// TestSizes has slabs of records of several sizes: each is aligned, and none overlaps another.
func TestSizes(t *testing.T) {
	t.Run("1", testSize[byte])
	t.Run("12", testSize[[3]uint32])
	t.Run("17", testSize[[17]byte])
	t.Run("48", testSize[record])
	t.Run("4096", testSize[[512]uint64])
}

func testSize[T any](t *testing.T) {
	var s Slab[T]
	var list []uintptr
	for range 500 {
		list = append(list, uintptr(unsafe.Pointer(s.Get())))
	}
	slices.Sort(list)
	for i, p := range list {
		if p%8 != 0 {
			t.Fatalf("record at %#x", p)
		}
		if i > 0 && p-list[i-1] < unsafe.Sizeof(*new(T)) {
			t.Fatalf("records of %d bytes at %#x and %#x", unsafe.Sizeof(*new(T)), list[i-1], p)
		}
	}
}

// TestLargeChunks has a slab grow. Records beyond the first chunks are in memory that was asked for
// at once, and those before are not.
func TestLargeChunks(t *testing.T) {
	for _, size := range []uintptr{8, 48, 960, 5000, 70_000, 200_000} {
		var s records
		var backed [][2]uintptr
		host.Backed = func(p unsafe.Pointer, n uintptr) {
			backed = append(backed, [2]uintptr{uintptr(p), n})
		}
		small := manyChunks * int(max(chunkSize/size, 1))
		inLarge := 0
		for i := range 3 * small {
			r := s.get(size)
			clear(unsafe.Slice((*byte)(r), size))
			p := uintptr(r)
			for _, b := range backed {
				if p-b[0] < b[1] {
					inLarge++
					if p+size > b[0]+b[1] {
						t.Fatalf("size %d: record %d is not in its chunk as a whole", size, i)
					}
				}
			}
		}
		host.Backed = nil
		want := 2 * small
		if size > largeChunk {
			want = 0
		}
		if inLarge < want-batch || inLarge > want {
			t.Errorf("size %d: %d records of %d are in large chunks", size, inLarge, 3*small)
		}
		for _, b := range backed {
			if b[1] < 64<<10 || b[1] > largeChunk {
				t.Errorf("size %d: a chunk of %d bytes", size, b[1])
			}
		}
	}
}

// TestBatches has one store filled by what another thread makes, which it can be only by way of
// the common store.
func TestBatches(t *testing.T) {
	var s Slab[record]
	st := s.mine()
	st.done()
	common := func() (n int) {
		for m := s.full.P(); m != nil; m = m.next.P() {
			n += batch
		}
		return n
	}
	seen := make(map[*record]bool)
	for range 300 {
		var list []*record
		for range 5 * batch {
			p := s.Get()
			seen[p] = true
			list = append(list, p)
		}
		for _, p := range list {
			s.Put(p)
			if st.n > 2*batch {
				t.Fatalf("%d records in a store", st.n)
			}
		}
		if int(st.n)+common() < 5*batch {
			t.Fatalf("%d records in the store and %d in common, of %d", st.n, common(), 5*batch)
		}
		// Another processor's store is empty and takes a batch, not a new chunk.
		other := &s.store[1]
		rest, before := s.rest, common()
		s.fill(other, unsafe.Sizeof(record{}))
		if other.n != batch || common() != before-batch || s.rest != rest {
			t.Fatalf("filled with %d records; %d in common before, %d after",
				other.n, before, common())
		}
		s.spill(other)
		if other.n != 0 || common() != before {
			t.Fatalf("%d records are left when a batch of %d is spilled", other.n, batch)
		}
	}
	if chunk := chunkSize / int(unsafe.Sizeof(record{})); len(seen) > 9*batch+chunk {
		t.Errorf("%d records were made for %d at a time", len(seen), 5*batch)
	}
}

func TestSlabConcurrently(t *testing.T) {
	var s Slab[record]
	passed := make(chan *record, 100)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 5000 {
				p := s.Get()
				p.id = w
				p.text[4] = uint64(i)
				if i%3 == 0 {
					select {
					case passed <- p: // another gives it back
						continue
					case q := <-passed:
						s.Put(q)
					default:
					}
				}
				if p.id != w || p.text[4] != uint64(i) {
					t.Error("a record has two owners")
					return
				}
				s.Put(p)
			}
		})
	}
	wg.Wait()
}

func TestArrays(t *testing.T) {
	var a Arrays
	r := rand.New(rand.NewSource(1))
	type block struct {
		p    unsafe.Pointer
		k    uint
		mark uint64
	}
	words := func(b block) []uint64 { return unsafe.Slice((*uint64)(b.p), 1<<b.k) }
	var used []block
	made := make(map[unsafe.Pointer]uint)
	for i := range 20000 {
		if len(used) < 40 && r.Intn(2) == 0 {
			b := block{k: uint(r.Intn(11)), mark: uint64(i + 1)}
			b.p = a.Get(b.k)
			if k, ok := made[b.p]; ok && k != b.k {
				t.Fatalf("a block of 2^%d words is used for 2^%d", k, b.k)
			}
			made[b.p] = b.k
			for j, w := range words(b) {
				if w != 0 {
					t.Fatalf("word %d of 2^%d is %#x", j, b.k, w)
				}
				words(b)[j] = b.mark
			}
			used = append(used, b)
		} else if len(used) > 0 {
			n := r.Intn(len(used))
			b := used[n]
			for j, w := range words(b) {
				if w != b.mark {
					t.Fatalf("word %d of 2^%d became %#x", j, b.k, w)
				}
			}
			used[n] = used[len(used)-1]
			used = used[:len(used)-1]
			a.Put(b.p, b.k)
		}
	}
	if len(made) > 11*40 {
		t.Errorf("%d blocks were made", len(made))
	}
}

func TestArraysConcurrently(t *testing.T) {
	var a Arrays
	var wg sync.WaitGroup
	for w := range uint64(8) {
		wg.Go(func() {
			for range 5000 {
				p := a.Get(3)
				for i := range unsafe.Slice((*uint64)(p), 8) {
					word := &unsafe.Slice((*uint64)(p), 8)[i]
					if *word != 0 {
						t.Error("a block is not zero, or has two owners")
						return
					}
					*word = w + 1
				}
				a.Put(p, 3)
			}
		})
	}
	wg.Wait()
}

// TestLock counts without atomics, which go test -race looks at too.
func TestLock(t *testing.T) {
	const workers, rounds = 16, 3000
	var l Lock
	n := 0
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range rounds {
				l.Lock()
				was := n
				if i%16 == 0 {
					runtime.Gosched() // the others meet a lock that is held
				}
				n = was + 1
				l.Unlock()
			}
		})
	}
	wg.Wait()
	if n != workers*rounds {
		t.Errorf("counted %d, want %d", n, workers*rounds)
	}
}

// TestGuardPins takes a Guard: its holder can't be preempted from before the lock is taken until
// after it is released.
func TestGuardPins(t *testing.T) {
	var g Guard
	pinned, changes := 0, 0
	host.Pins = func(change int) {
		if g.lock.state.Load() != 0 {
			t.Errorf("preemption changes by %d while the lock is held", change)
		}
		pinned += change
		changes++
	}
	defer func() { host.Pins = nil }()
	for range 2 {
		g.Lock()
		if pinned != 1 || g.lock.state.Load() == 0 {
			t.Errorf("with the lock held, preemption is disabled %d times", pinned)
		}
		g.Unlock()
	}
	if pinned != 0 || changes != 4 {
		t.Errorf("preemption is disabled %d times, and was changed %d times", pinned, changes)
	}
}

func TestRef(t *testing.T) {
	var s Slab[record]
	var r Ref[record]
	var a AtomicRef[record]
	if !r.Nil() || r.P() != nil || a.Load() != nil || !To[record](nil).Nil() {
		t.Error("a zero Ref is not nil")
	}
	p := s.Get()
	r = To(p)
	a.Store(p)
	if r.Nil() || r.P() != p || a.Load() != p || r != To(p) {
		t.Error("a Ref is not what it was made from")
	}
}
