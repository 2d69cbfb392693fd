// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import "sync"

// A Program is what a recorded trace tells of the program: goroutines, stacks, tests, transactions, specifications. All that it
// has grows with the source that was run, but for goroutines, keys and addresses, which have a number each in other tables, too.
//
// A reader adds to it while checkers are at work on earlier events, so methods take a lock; they are called for findings, not
// for events. What Set methods are given is added under [Program.Lock].
type Program struct {
	mu         sync.RWMutex
	texts      map[string]string // to keep each once
	frames     []frame           // by position
	goroutines []Goroutine       // by thread
	tests      []string          // by number
	sections   []string          // by number
	points     []PointOf         // by number
	methods    []MethodOf        // by number
	formulas   map[[2]uint32]Formula
	pairs      [][2]uint32        // those that have a formula
	sites      map[[2]uint32]Site // by position and method
	siteList   [][2]uint32
	keys       map[uint64]string
	keyList    []uint64
	spots      []spot
	spotOf     map[spot]uint32
	objects    []object          // in the order of their definitions; the first is none
	objectAt   map[uint64]uint32 // the last that was defined at an address
	again      []uint32          // objects at addresses where others were before
	targets    []target          // by number

	// Address is where the variable with a number is, or the lock. It's for when all was read.
	Address func(lock bool, number uint32) (address uint64, ok bool)

	specifications

	// Calls says that there are [CallStep]s of calls, and compiled specifications.
	Calls bool

	// Flagged says that events have [event.Flags].
	Flagged bool
}

// spotBase is the least position that stands for a call or a section. Others are smaller.
const spotBase = 1 << 28

// A spot is a position together with the method that is called there, or with the section that begins.
type spot struct {
	pos, number uint32
	section     bool
}

type frame struct {
	caller uint32
	line   uint32
	fn     string
	file   string
}

// A Frame is one of a stack.
type Frame struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line uint32 `json:"line"`
}

// A Goroutine is one of the program's: its id there, 0 if it isn't known, who started it, and where.
type Goroutine struct {
	ID     uint64
	Parent uint32 // a thread; 0 is none
	Pos    uint32
	test   uint32
	known  bool
}

// PointOf is an access point of a type.
type PointOf struct{ Type, Name string }

// MethodOf is a method of a type; the role is observer, mutator, arbiter, or empty if it isn't known.
type MethodOf struct{ Type, Name, Role string }

// A Formula says when calls of two methods commute, and at which line of the specification. Results tells that calls for which
// it doesn't hold differ in nothing but what they return.
type Formula struct {
	Text, At string
	First    string // the methods, in the specification's order
	Second   string
	Results  bool
}

// A Site is what a trace tells of the calls of a method at a position: the declaration of what they are made on, and the flags
// of package spec.
type Site struct {
	Flags          uint32
	Kind, Name, At string
}

// Rank says how well a declaration identifies what calls are made on.
func (s *Site) Rank() int {
	switch s.Kind {
	case "global", "field", "ambiguous":
		return 3
	case "local":
		return 2
	case "param", "other":
		return 1
	}
	return 0
}

type object struct {
	address   uint64
	typ, name string
}

// A target is what an access point is touched of: an object, or an object and the hash of a key.
type target struct {
	key    uint64
	object uint32
	keyed  bool
}

// NewProgram knows of nothing.
func NewProgram() *Program {
	return &Program{
		texts: make(map[string]string), formulas: make(map[[2]uint32]Formula), sites: make(map[[2]uint32]Site),
		keys:   make(map[uint64]string),
		spotOf: make(map[spot]uint32), objects: make([]object, 1), objectAt: make(map[uint64]uint32),
	}
}

// Lock is taken by who adds.
func (p *Program) Lock() { p.mu.Lock() }

// Unlock ends that.
func (p *Program) Unlock() { p.mu.Unlock() }

func (p *Program) text(s string) string {
	if t, ok := p.texts[s]; ok {
		return t
	}
	p.texts[s] = s
	return s
}

// set is list with an element at i.
func set[T any](list []T, i uint32, v T) []T {
	for uint64(len(list)) <= uint64(i) {
		list = append(list, make([]T, int(i)+1-len(list))...)
	}
	list[i] = v
	return list
}

func get[T any](list []T, i uint32) (v T) {
	if uint64(i) < uint64(len(list)) {
		v = list[i]
	}
	return v
}

// SetFrame adds a position: a frame, and the position of its caller.
func (p *Program) SetFrame(pos, caller, line uint32, fn, file string) {
	p.frames = set(p.frames, pos, frame{caller, line, p.text(fn), p.text(file)})
}

// SetGoroutine adds a goroutine.
func (p *Program) SetGoroutine(thread uint32, id uint64, parent, pos uint32) {
	g := get(p.goroutines, thread)
	g.ID, g.Parent, g.Pos, g.known = id, parent, pos, true
	p.goroutines = set(p.goroutines, thread, g)
}

// SetMember says which test a goroutine belongs to, with those that it starts.
func (p *Program) SetMember(thread, test uint32) {
	g := get(p.goroutines, thread)
	g.test = test
	p.goroutines = set(p.goroutines, thread, g)
}

// SetTest names a test, SetSection a section, SetPoint an access point, SetKey the key that has a hash.
func (p *Program) SetTest(test uint32, name string) { p.tests = set(p.tests, test, name) }

// SetSection names a section.
func (p *Program) SetSection(section uint32, name string) {
	p.sections = set(p.sections, section, name)
}

// SetPoint names an access point.
func (p *Program) SetPoint(point uint32, typ, name string) {
	p.points = set(p.points, point, PointOf{p.text(typ), p.text(name)})
}

// SetKey names a key.
func (p *Program) SetKey(hash uint64, text string) {
	if _, known := p.keys[hash]; !known {
		p.keyList = append(p.keyList, hash)
	}
	p.keys[hash] = text
}

// SetMethod names a method.
func (p *Program) SetMethod(method uint32, typ, name string) {
	p.methods = set(p.methods, method, MethodOf{p.text(typ), p.text(name), get(p.methods, method).Role})
}

// SetRole says what a method is for.
func (p *Program) SetRole(method uint32, role string) {
	m := get(p.methods, method)
	m.Role = p.text(role)
	p.methods = set(p.methods, method, m)
}

// SetFormula says when calls of two methods commute.
func (p *Program) SetFormula(method, other uint32, f Formula) {
	pair := [2]uint32{min(method, other), max(method, other)}
	if _, known := p.formulas[pair]; !known {
		p.pairs = append(p.pairs, pair)
	}
	p.formulas[pair] = f
}

// SetSite tells of the calls of a method at a position.
func (p *Program) SetSite(pos, method uint32, s Site) {
	at := [2]uint32{pos, method}
	if _, known := p.sites[at]; !known {
		p.siteList = append(p.siteList, at)
	}
	p.sites[at] = s
}

// SetObject names the object that from now on is at an address, or has a number.
func (p *Program) SetObject(address uint64, typ, name string) {
	if p.objectAt[address] != 0 {
		p.again = append(p.again, uint32(len(p.objects)))
	}
	p.objectAt[address] = uint32(len(p.objects))
	p.objects = append(p.objects, object{address, p.text(typ), p.text(name)})
}

// SetTarget says what a number of [Tables.Objects] is: the object that is now at an address, or a key of that. It returns the
// object's name.
func (p *Program) SetTarget(number uint32, address, key uint64, keyed bool) (name string) {
	if p.objectAt[address] == 0 {
		p.SetObject(address, "", "")
	}
	o := p.objectAt[address]
	p.targets = set(p.targets, number, target{key, o, keyed})
	return p.objects[o].name
}

// Call is the position that stands for a call of a method at pos.
func (p *Program) Call(pos, method uint32) uint32 { return p.spot(spot{pos, method, false}) }

// Section is the position that stands for the beginning of a section at pos.
func (p *Program) Section(pos, section uint32) uint32 { return p.spot(spot{pos, section, true}) }

// spot is the number of a spot. Only who adds calls it, so looking takes no lock.
func (p *Program) spot(s spot) uint32 {
	if n, ok := p.spotOf[s]; ok {
		return n
	}
	if len(p.spots) == spotBase {
		return s.pos
	}
	p.mu.Lock()
	n := spotBase + uint32(len(p.spots))
	p.spots = append(p.spots, s)
	p.spotOf[s] = n
	p.mu.Unlock()
	return n
}

// at is what a position stands for; for one of the program, ok is false.
func (p *Program) at(pos uint32) (s spot, ok bool) {
	if p == nil || pos < spotBase || uint64(pos-spotBase) >= uint64(len(p.spots)) {
		return spot{pos: pos}, false
	}
	return p.spots[pos-spotBase], true
}

// Pos is the position in the program that an event's stands for.
func (p *Program) Pos(pos uint32) uint32 {
	if p == nil || pos < spotBase {
		return pos
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	s, _ := p.at(pos)
	return s.pos
}
