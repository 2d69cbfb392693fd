// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"sync"

	"github.com/commutego/commute/testdata/papers/turn"
)

// A barrier keeps workers until all have come.
type barrier struct {
	mu    sync.Mutex
	all   *sync.Cond
	here  int
	round int
}

func newBarrier() *barrier {
	b := new(barrier)
	b.all = sync.NewCond(&b.mu)
	return b
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.here++; b.here == workers {
		b.here = 0
		b.round++
		b.all.Broadcast()
	}
	for b.round == round {
		b.all.Wait()
	}
}

// phases has the workers do phase after phase, with a barrier after each.
func phases(n int, f func(part, phase int)) {
	b := newBarrier()
	var list []func()
	for part := range workers {
		list = append(list, func() {
			for phase := range n {
				f(part, phase)
				b.wait()
			}
		})
	}
	turn.Go(list...)
}

// A Grid is relaxed by sor: each worker its rows, the points of one colour in each phase.
type Grid [6][6]int

//commute:atomic nobody else writes what it reads
func (g *Grid) Sweep(part, phase int) {
	for i := 1 + part; i < len(g)-1; i += workers {
		for j := 1 + (i+phase)%2; j < len(g)-1; j += 2 {
			g[i][j] = (g[i-1][j]+g[i+1][j]+g[i][j-1]+g[i][j+1])/4 + 1
			turn.Here()
		}
	}
}

func sor(r run) {
	g := new(Grid)
	phases(4*r.work, g.Sweep)
}

// Particles have forces between them: each worker computes some, adds them up, and moves its own.
type Particles struct {
	place, force [particles]int
	own          [workers][particles]int
}

const particles = 6

//commute:atomic nobody else writes what it reads
func (p *Particles) Forces(part int) {
	for i := part; i < particles; i += workers {
		for j := range particles {
			p.own[part][j] += p.place[i] - p.place[j]
		}
		turn.Here()
	}
}

//commute:atomic nobody else writes what it reads
func (p *Particles) Sum(part int) {
	for i := part; i < particles; i += workers {
		sum := 0
		for k := range p.own {
			sum += p.own[k][i]
		}
		turn.Here()
		p.force[i] = sum
	}
}

//commute:atomic nobody else writes what it reads
func (p *Particles) Move(part int) {
	for i := part; i < particles; i += workers {
		p.place[i] += p.force[i]
	}
}

func (p *Particles) step(part, phase int) {
	switch phase % 3 {
	case 0:
		p.Forces(part)
	case 1:
		p.Sum(part)
	case 2:
		p.Move(part)
	}
}

func moldyn(r run) {
	p := new(Particles)
	phases(3*r.work, p.step)
}

// Paths are priced by montecarlo, each worker its own, and the results added to a list.
type Paths struct {
	tasks   []int
	mu      sync.Mutex
	results []int
}

//commute:atomic no price is lost
func (p *Paths) Price(i int) {
	price := 7*p.tasks[i] + 1
	p.mu.Lock()
	defer p.mu.Unlock()
	turn.Here()
	p.results = append(p.results, price)
}

// PriceInTwo takes the list in one section and puts it back in another one.
//
//commute:atomic no price is lost
func (p *Paths) PriceInTwo(i int) {
	p.mu.Lock()
	list := p.results
	p.mu.Unlock()
	turn.Here()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results = append(list, 7*p.tasks[i]+1)
}

//commute:atomic all is done
func (p *Paths) Average() (sum int) {
	for _, price := range p.results {
		sum += price
	}
	return sum
}

func montecarlo(r run) {
	p := &Paths{tasks: make([]int, 4*workers*r.work)}
	for i := range p.tasks {
		p.tasks[i] = i
	}
	var list []func()
	for part := range workers {
		list = append(list, func() {
			for i := part; i < len(p.tasks); i += workers {
				p.Price(i)
				turn.Here()
			}
		})
	}
	turn.Go(list...)
	p.Average()
}

// An Image is rendered by raytracer. Each worker adds to the checksum under the lock of its own
// scene, which excludes nobody.
type Image struct {
	scenes          [workers]sync.Mutex
	pixels          [workers][4]int
	mu              sync.Mutex
	checksum, total int
}

//commute:atomic nothing is lost of the checksum
func (m *Image) Render(part int) {
	sum := m.draw(part)
	m.scenes[part].Lock()
	defer m.scenes[part].Unlock()
	was := m.checksum
	turn.Here()
	m.checksum = was + sum
}

//commute:atomic nothing is lost of the total
func (m *Image) Run(part int) {
	m.scenes[part].Lock()
	defer m.scenes[part].Unlock()
	was := m.total
	turn.Here()
	m.total = was + 1
}

//commute:atomic nothing is lost of the checksum
func (m *Image) SafeRender(part int) {
	sum := m.draw(part)
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.checksum
	turn.Here()
	m.checksum = was + sum
}

func (m *Image) draw(part int) (sum int) {
	for i := range m.pixels[part] {
		m.pixels[part][i] += i + part
		sum += m.pixels[part][i]
	}
	return sum
}

// Validate looks when all is done.
//
//commute:atomic all is done
func (m *Image) Validate() bool { return m.checksum >= m.total }

func raytracer(r run) {
	m := new(Image)
	r.workers(1, func(part int) {
		m.Render(part)
		m.Run(part)
	})
	m.Validate()
}
