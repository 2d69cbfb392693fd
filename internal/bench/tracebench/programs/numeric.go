// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package programs

// workers is how many threads compute: the paper has three.
const workers = 3

// sor relaxes a grid: each thread its rows, the points of one colour in each phase.
func sor(t *thread, work int) {
	const rows, columns = 6, 6
	grid := make([][]*cell, rows)
	for i := range grid {
		grid[i] = t.array(columns)
	}
	for phase := range 4 * work {
		t.together(each(workers, func(t *thread, part int) {
			t.atomic("Sweep", func() {
				for i := 1 + part; i < rows-1; i += workers {
					for j := 1 + (i+phase)%2; j < columns-1; j += 2 {
						sum := t.get(grid[i-1][j]) + t.get(grid[i+1][j])
						sum += t.get(grid[i][j-1]) + t.get(grid[i][j+1])
						t.set(grid[i][j], sum/4+1)
					}
				}
			})
		})...)
	}
}

// moldyn computes forces, each thread for itself, adds them up, and moves the particles.
func moldyn(t *thread, work int) {
	const particles = 6
	place, force := t.array(particles), t.array(particles)
	own := make([][]*cell, workers)
	for i := range own {
		own[i] = t.array(particles)
	}
	for range work {
		t.together(each(workers, func(t *thread, part int) {
			t.atomic("Forces", func() {
				for i := part; i < particles; i += workers {
					for j := range particles {
						t.set(own[part][j], t.get(own[part][j])+t.get(place[i])-t.get(place[j]))
					}
				}
			})
		})...)
		t.together(each(workers, func(t *thread, part int) {
			t.atomic("Sum", func() {
				for i := part; i < particles; i += workers {
					sum := 0
					for k := range own {
						sum += t.get(own[k][i])
					}
					t.set(force[i], sum)
				}
			})
		})...)
		t.together(each(workers, func(t *thread, part int) {
			t.atomic("Move", func() {
				for i := part; i < particles; i += workers {
					t.set(place[i], t.get(place[i])+t.get(force[i]))
				}
			})
		})...)
	}
}

// montecarlo prices paths, each thread its own, and adds the results to a list under a lock.
func montecarlo(t *thread, work int) {
	const paths = 4
	list := t.mutex()
	count, results := t.cell(), t.array(workers*paths*work)
	tasks := t.array(workers * paths * work)
	for i := range tasks {
		t.set(tasks[i], i)
	}
	t.together(each(workers, func(t *thread, part int) {
		for i := part; i < len(tasks); i += workers {
			t.atomic("Price", func() {
				price := 7*t.get(tasks[i]) + 1
				t.lock(list)
				n := t.get(count)
				t.set(results[n], price)
				t.set(count, n+1)
				t.unlock(list)
			})
		}
	})...)
	t.atomic("Average", func() {
		sum := 0
		for _, c := range results[:t.get(count)] {
			sum += t.get(c)
		}
	})
}

// raytracer renders lines, and adds to the checksum under the lock of the thread's own scene, which
// excludes nobody.
func raytracer(t *thread, work int) {
	const lines = 4
	checksum, total := t.cell(), t.cell()
	t.together(each(workers, func(t *thread, part int) {
		scene, pixels := t.mutex(), t.array(lines)
		for round := range work {
			t.atomic("Render", func() {
				sum := 0
				for i := range pixels {
					t.set(pixels[i], round*i+part)
					sum += t.get(pixels[i])
				}
				t.lock(scene)
				t.set(checksum, t.get(checksum)+sum)
				t.unlock(scene)
			})
			t.atomic("Run", func() {
				t.lock(scene)
				t.set(total, t.get(total)+1)
				t.unlock(scene)
			})
		}
	})...)
	t.atomic("Validate", func() {
		t.get(checksum)
		t.get(total)
	})
}
