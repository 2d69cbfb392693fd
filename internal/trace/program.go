// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import "sync"

// A Program has the data of a recorded trace about the program: goroutines, stacks, tests,
// transactions, specifications. Its size is proportional to the source that was run, except for
// goroutines, keys and addresses, which other tables have, too.
//
// A reader adds to it while checkers work on earlier events, so the methods that look something up
// take a lock. They are called for findings, not for events. The Set methods take none: the reader
// calls them between [Program.Lock] and [Program.Unlock].
type Program struct {
	mu          sync.RWMutex
	texts       map[string]string // the strings, so that each is kept once
	frames      []frame           // by position
	goroutines  []Goroutine       // by thread
	tests       []string          // by number
	sections    []string          // by number
	independent []bool            // by number of a section
	points      []PointOf         // by number
	methods     []MethodOf        // by number
	formulas    map[[2]uint32]Formula
	pairs       [][2]uint32        // those that have a formula
	sites       map[[2]uint32]Site // by position and method
	siteList    [][2]uint32
	keys        map[uint64]string
	keyList     []uint64
	derivedList []derived
	numberOf    map[derived]uint32
	objects     []object          // in the order of their definitions; the first is none
	objectAt    map[uint64]uint32 // the last that was defined at an address
	reused      []uint32          // objects at addresses that earlier objects had
	targets     []target          // by number

	// Address returns the address of the variable or lock with a number. It may be called once the
	// whole trace was read.
	Address func(lock bool, number uint32) (address uint64, ok bool)

	specifications
	guarded guarded

	// Calls says that there are [CallStep]s of calls, and compiled specifications.
	Calls bool

	// Callbacks says that these steps have each begin and end of a callback. Otherwise a callback
	// ends where its thread makes the next hidden step.
	Callbacks bool

	// Locks says that these steps include all steps of locks.
	Locks bool

	// Objects says that these steps have the objects of synchronization, the additions to the
	// counters of WaitGroups, and the channels on which attempts have failed.
	Objects bool

	// Sections says that there are [SectionStep]s, if the program has functions for them.
	Sections bool

	// Flagged says that events have [event.Flags].
	Flagged bool
}

// derivedBase is the least derived position. Positions of the program are smaller.
const derivedBase = 1 << 28

// A derived is a position of the program together with the method that is called there, or with the
// section that begins. So an event needs one number for both.
type derived struct {
	pos, number uint32
	section     bool
}

// A frame is a position of the program: the innermost frame of a stack, and the position of its
// caller. Stacks share their outer frames.
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

// A Goroutine is one of the program's: its id there, 0 if it isn't known, the thread that started
// it, and the position of the go statement.
type Goroutine struct {
	ID     uint64
	Parent uint32 // a thread; 0 is none
	Pos    uint32
	test   uint32
	known  bool
}

// PointOf is an access point of a type.
type PointOf struct{ Type, Name string }

// MethodOf is a method of a type; the role is observer, mutator, arbiter, or empty if it isn't
// known.
type MethodOf struct{ Type, Name, Role string }

// A Formula is the condition under which calls of two methods commute, with its line in the
// specification. If Results is set, calls for which it doesn't hold differ only in what they
// return.
type Formula struct {
	Text, At string
	First    string // the methods, in the specification's order
	Second   string
	Results  bool
}

// A Site describes the calls of a method at a position: the declaration of their receiver, and the
// flags of package spec.
type Site struct {
	Flags          uint32
	Kind, Name, At string
}

// Rank says how well the declaration of a receiver identifies the object; 0 means not at all.
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

// An object is one that a trace defines.
type object struct {
	address   uint64
	typ, name string
}

// A target is the target of a touch: an object, or an object and the hash of a key.
type target struct {
	key    uint64
	object uint32
	keyed  bool
}

// NewProgram is a program without any definition.
func NewProgram() *Program {
	return &Program{
		texts:    make(map[string]string),
		formulas: make(map[[2]uint32]Formula),
		sites:    make(map[[2]uint32]Site),
		keys:     make(map[uint64]string),
		numberOf: make(map[derived]uint32),
		objects:  make([]object, 1),
		objectAt: make(map[uint64]uint32),
	}
}

// Lock locks p for the Set methods.
func (p *Program) Lock() { p.mu.Lock() }

// Unlock unlocks p.
func (p *Program) Unlock() { p.mu.Unlock() }

// text is s, kept once.
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

// get is element i of a list, or the zero value.
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

// SetMember sets the test of a goroutine, and of the goroutines that it starts.
func (p *Program) SetMember(thread, test uint32) {
	g := get(p.goroutines, thread)
	g.test = test
	p.goroutines = set(p.goroutines, thread, g)
}

// SetTest names a test.
func (p *Program) SetTest(test uint32, name string) { p.tests = set(p.tests, test, name) }

// SetSection names a section.
func (p *Program) SetSection(section uint32, name string) {
	p.sections = set(p.sections, section, name)
}

// SetIndependent says that the transactions of a section make the same accesses whatever they read.
func (p *Program) SetIndependent(section uint32) {
	p.independent = set(p.independent, section, true)
}

// SetPoint names an access point.
func (p *Program) SetPoint(point uint32, typ, name string) {
	p.points = set(p.points, point, PointOf{p.text(typ), p.text(name)})
}

// SetKey names the key that has a hash.
func (p *Program) SetKey(hash uint64, text string) {
	if _, known := p.keys[hash]; !known {
		p.keyList = append(p.keyList, hash)
	}
	p.keys[hash] = text
}

// SetMethod names a method.
func (p *Program) SetMethod(method uint32, typ, name string) {
	p.methods = set(p.methods, method, MethodOf{p.text(typ), p.text(name),
		get(p.methods, method).Role})
}

// SetRole sets the role of a method.
func (p *Program) SetRole(method uint32, role string) {
	m := get(p.methods, method)
	m.Role = p.text(role)
	p.methods = set(p.methods, method, m)
}

// SetFormula sets the formula of two methods.
func (p *Program) SetFormula(method, other uint32, f Formula) {
	pair := [2]uint32{min(method, other), max(method, other)}
	if _, known := p.formulas[pair]; !known {
		p.pairs = append(p.pairs, pair)
	}
	p.formulas[pair] = f
}

// SetSite describes the calls of a method at a position.
func (p *Program) SetSite(pos, method uint32, s Site) {
	at := [2]uint32{pos, method}
	if _, known := p.sites[at]; !known {
		p.siteList = append(p.siteList, at)
	}
	p.sites[at] = s
}

// SetObject defines the object that is at an address, or has a number, for later events.
func (p *Program) SetObject(address uint64, typ, name string) {
	if p.objectAt[address] != 0 {
		p.reused = append(p.reused, uint32(len(p.objects)))
	}
	p.objectAt[address] = uint32(len(p.objects))
	p.objects = append(p.objects, object{address, p.text(typ), p.text(name)})
}

// SetTarget sets the target with a number of [Tables.Objects]: the object that is now at an
// address, or a key of it. It returns the object's name.
func (p *Program) SetTarget(number uint32, address, key uint64, keyed bool) (name string) {
	if p.objectAt[address] == 0 {
		p.SetObject(address, "", "")
	}
	o := p.objectAt[address]
	p.targets = set(p.targets, number, target{key, o, keyed})
	return p.objects[o].name
}

// Call is the derived position of a call of a method at pos.
func (p *Program) Call(pos, method uint32) uint32 { return p.derived(derived{pos, method, false}) }

// Section is the derived position of the beginning of a section at pos.
func (p *Program) Section(pos,
	section uint32) uint32 {
	return p.derived(derived{pos, section, true})
}

// derived is the number of a derived position. Only the reader calls it, so the lookup takes no
// lock.
func (p *Program) derived(s derived) uint32 {
	if n, ok := p.numberOf[s]; ok {
		return n
	}
	if len(p.derivedList) == derivedBase {
		return s.pos
	}
	p.mu.Lock()
	n := derivedBase + uint32(len(p.derivedList))
	p.derivedList = append(p.derivedList, s)
	p.numberOf[s] = n
	p.mu.Unlock()
	return n
}

// at is a derived position by its number. For a position of the program, ok is false.
func (p *Program) at(pos uint32) (s derived, ok bool) {
	if p == nil || pos < derivedBase || uint64(pos-derivedBase) >= uint64(len(p.derivedList)) {
		return derived{pos: pos}, false
	}
	return p.derivedList[pos-derivedBase], true
}

// Pos is the position in the program of an event's position.
func (p *Program) Pos(pos uint32) uint32 {
	if p == nil || pos < derivedBase {
		return pos
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	s, _ := p.at(pos)
	return s.pos
}
