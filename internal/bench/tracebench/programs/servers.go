// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package programs

// elevator has lifts that claim floors: they look under the floor's lock whether somebody waits and
// nobody comes, and claim it under the lock that they take again.
func elevator(t *thread, work int) {
	const floors = 3
	type floor struct {
		mu       *mutex
		waiting  *cell
		up, down *cell
	}
	list := make([]floor, floors)
	for i := range list {
		list[i] = floor{t.mutex(), t.cell(), t.cell(), t.cell()}
		list[i].waiting.v = 1
	}
	claim := func(t *thread, f *floor, claimed *cell) {
		t.lock(f.mu)
		wanted := t.get(f.waiting) > 0 && t.get(claimed) == 0
		t.unlock(f.mu)
		if wanted {
			t.lock(f.mu)
			t.set(claimed, 1)
			t.unlock(f.mu)
		}
	}
	lift := func(t *thread, _ int) {
		for round := range 2 * work {
			f := &list[round%floors]
			t.atomic("ClaimUp", func() { claim(t, f, f.up) })
			t.atomic("ClaimDown", func() { claim(t, f, f.down) })
			t.atomic("Arrive", func() {
				t.lock(f.mu)
				t.set(f.waiting, t.get(f.waiting)/2)
				t.set(f.up, 0)
				t.set(f.down, 0)
				t.unlock(f.mu)
			})
		}
	}
	people := func(t *thread) {
		for round := range 6 * work {
			f := &list[round%floors]
			t.atomic("Press", func() {
				t.lock(f.mu)
				t.set(f.waiting, t.get(f.waiting)+1)
				t.unlock(f.mu)
			})
		}
	}
	t.together(append(each(2, lift), people)...)
}

// tsp looks for a tour: threads take parts of tours from a queue. The length of the best tour is
// read without its lock, to give up early, and looked at again under the lock.
func tsp(t *thread, work int) {
	queueLock, bestLock := t.mutex(), t.mutex()
	queue, best := t.cell(), t.cell()
	tour := t.array(3)
	parts := 6 * work
	t.set(best, 1000)
	t.together(each(workers, func(t *thread, _ int) {
		for more := true; more; {
			part := 0
			t.atomic("Take", func() {
				t.lock(queueLock)
				part = t.get(queue)
				t.set(queue, part+1)
				t.unlock(queueLock)
			})
			more = part < parts
			length := 1000
			t.atomic("Solve", func() {
				for i := 1; i <= 3 && t.get(best) > 900-i*part; i++ {
					length = 1000 - i*part
				}
			})
			t.atomic("SetBest", func() {
				if length >= t.get(best) {
					return
				}
				t.lock(bestLock)
				if length < t.get(best) {
					t.set(best, length)
					for i := range tour {
						t.set(tour[i], part+i)
					}
				}
				t.unlock(bestLock)
			})
		}
	})...)
}

// hedc has a pool of threads that ask archives for pictures. One thread counts the requests, and
// others look at the count.
func hedc(t *thread, work int) {
	tasks := 3 * work
	pool, served, taken := t.mutex(), t.cell(), t.cell()
	results, done := t.array(tasks), t.cell()
	t.together(append(each(2, func(t *thread, _ int) {
		for more := true; more; {
			task := 0
			t.atomic("Take", func() {
				t.lock(pool)
				task = t.get(taken)
				t.set(taken, task+1)
				t.unlock(pool)
			})
			if more = task < tasks; !more {
				return
			}
			t.atomic("Fetch", func() { t.set(results[task], task) })
			t.atomic("Report", func() {
				t.lock(pool)
				t.set(done, t.get(done)+1)
				t.unlock(pool)
			})
			t.atomic("Served", func() { t.get(served) })
		}
	}), func(t *thread) {
		for range tasks {
			t.atomic("Serve", func() { t.set(served, t.get(served)+1) })
			t.atomic("Done", func() {
				t.lock(pool)
				t.get(done)
				t.unlock(pool)
			})
		}
	})...)
}

// jigsaw serves resources: stores are counted as they are loaded, without a lock.
func jigsaw(t *thread, work int) {
	loaded, stores := t.cell(), t.mutex()
	store := t.cell()
	hits, bytes := t.cell(), t.cell()
	cache, idle := t.mutex(), t.cell()
	logLock, length, entry := t.mutex(), t.cell(), t.cell()
	alive := t.array(workers)
	t.together(each(workers, func(t *thread, part int) {
		for round := range work {
			t.atomic("WaitForRunner", func() { t.set(alive[part], t.get(alive[part])+1) })
			t.atomic("GetThread", func() {
				if t.get(idle) > 3 {
					return
				}
				t.lock(cache)
				t.set(idle, t.get(idle)+1)
				t.unlock(cache)
			})
			t.atomic("LoadStore", func() {
				t.set(loaded, t.get(loaded)+1)
				t.lock(stores)
				t.set(store, round)
				t.unlock(stores)
				t.set(loaded, t.get(loaded)-1)
			})
			t.atomic("Serve", func() {
				t.lock(stores)
				t.get(store)
				t.unlock(stores)
			})
			t.atomic("Hit", func() { t.set(hits, round) })
			t.atomic("Sent", func() { t.set(bytes, part) })
			t.atomic("Statistics", func() {
				t.get(hits)
				t.get(bytes)
				t.get(hits)
			})
			t.atomic("Log", func() {
				t.lock(logLock)
				n := t.get(length)
				t.unlock(logLock)
				if n > 2 {
					n = 0
				}
				t.lock(logLock)
				t.set(entry, n)
				t.set(length, n+1)
				t.unlock(logLock)
			})
			t.atomic("Alive", func() { t.get(alive[(part+1)%workers]) })
		}
	})...)
}
