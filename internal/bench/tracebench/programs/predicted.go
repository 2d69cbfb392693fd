// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package programs

// account transfers between two accounts: by a debit and a credit, each in a section of its own;
// and as it should be, in one section.
func account(t *thread, work int) {
	mu, from, to := t.mutex(), t.cell(), t.cell()
	t.together(append(each(2, func(t *thread, _ int) {
		for range 3 * work {
			t.atomic("Transfer", func() {
				t.lock(mu)
				t.set(from, t.get(from)-1)
				t.unlock(mu)
				t.lock(mu)
				t.set(to, t.get(to)+1)
				t.unlock(mu)
			})
			t.atomic("SafeTransfer", func() {
				t.lock(mu)
				t.set(from, t.get(from)-1)
				t.set(to, t.get(to)+1)
				t.unlock(mu)
			})
		}
	}), func(t *thread) {
		for range 3 * work {
			t.atomic("Sum", func() {
				t.lock(mu)
				t.get(from)
				t.get(to)
				t.unlock(mu)
			})
		}
	})...)
}

// philo has philosophers who take two forks, the one with the smaller number first.
func philo(t *thread, work int) {
	const seats = 3
	var forks [seats]*mutex
	for i := range forks {
		forks[i] = t.mutex()
	}
	meals := t.array(seats)
	t.together(each(seats, func(t *thread, i int) {
		first, second := min(i, (i+1)%seats), max(i, (i+1)%seats)
		for range 2 * work {
			t.atomic("Eat", func() {
				t.lock(forks[first])
				t.lock(forks[second])
				t.set(meals[first], t.get(meals[first])+1)
				t.set(meals[second], t.get(meals[second])+1)
				t.unlock(forks[second])
				t.unlock(forks[first])
			})
		}
	})...)
}

// barrier counts those that arrive, and looks in another section whether all have.
func barrier(t *thread, work int) {
	mu, arrived, round := t.mutex(), t.cell(), t.cell()
	t.together(each(workers, func(t *thread, _ int) {
		for range 2 * work {
			t.atomic("Arrive", func() {
				t.lock(mu)
				t.set(arrived, t.get(arrived)+1)
				t.unlock(mu)
				t.lock(mu)
				if t.get(arrived) >= workers {
					t.set(arrived, 0)
					t.set(round, t.get(round)+1)
				}
				t.unlock(mu)
			})
			t.atomic("Round", func() {
				t.lock(mu)
				t.get(round)
				t.unlock(mu)
			})
		}
	})...)
}

// synchBench has methods of one section each.
func synchBench(t *thread, work int) {
	mu, n := t.mutex(), t.cell()
	t.together(each(workers, func(t *thread, _ int) {
		own := t.cell()
		for range 4 * work {
			t.atomic("Synchronized", func() {
				t.lock(mu)
				t.set(n, t.get(n)+1)
				t.unlock(mu)
			})
			t.atomic("Local", func() { t.set(own, t.get(own)+1) })
		}
	})...)
}

// thrift has a queue between threads, each of whose methods is one section of its lock.
func thrift(t *thread, work int) {
	mu, head, tail, slots := t.mutex(), t.cell(), t.cell(), t.array(4)
	stats, served := t.mutex(), t.cell()
	t.together(append(each(2, func(t *thread, _ int) {
		for range 6 * work {
			task := 0
			t.atomic("Pop", func() {
				t.lock(mu)
				if h := t.get(head); h < t.get(tail) {
					task = t.get(slots[h%len(slots)])
					t.set(head, h+1)
				}
				t.unlock(mu)
			})
			t.atomic("Count", func() {
				t.lock(stats)
				t.set(served, t.get(served)+task)
				t.unlock(stats)
			})
		}
	}), func(t *thread) {
		for i := range 12 * work {
			t.atomic("Push", func() {
				t.lock(mu)
				if n := t.get(tail); n-t.get(head) < len(slots) {
					t.set(slots[n%len(slots)], i)
					t.set(tail, n+1)
				}
				t.unlock(mu)
			})
		}
	})...)
}
