// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package serve

import (
	commute_bufio "bufio"
	commute_binary "encoding/binary"
	commute_json "encoding/json"
	commute_io "io"
	commute_os "os"
	commute_strconv "strconv"
	commute_strings "strings"
	commute_sync "sync"
	commute_atomic "sync/atomic"
	commute_time "time"
)

// A commuteTable is the generated code for one type.
type commuteTable struct {
	object  func() any
	reset   func() // gives the values that arguments point to their first contents
	methods []commuteMethod
	pairs   []commutePair
}

// A commuteMethod calls one method.
type commuteMethod struct {
	name     string
	observer bool
	sizes    []int // how many values each parameter has
	views    []int // how many of them are tried when the method looks at an object
	call     func(o any, args []byte, c *commuteCall)
	// with the shadow results; nil if there are none
	shadow func(o any, args []byte, c *commuteCall)
}

// A commutePair is a formula over two calls.
type commutePair struct {
	m     [2]int
	holds func(x, y *commuteCall) bool
	// ignoring says whose results must not be used for the formula to hold; nil if that makes no
	// difference
	ignoring func(x, y *commuteCall) (calls [2]bool, holds bool)
	values   [][2]int // of the first call and the second one, to compare in samples
}

// A commuteCall is the outcome of a call.
type commuteCall struct {
	want     byte
	results  []any
	visited  []any // what callbacks were given, a []any for each of their calls
	vals     []any // what the formula speaks of
	conds    []bool
	returned bool
	end      string // how it ended if it did not return
}

// What is wanted of a call: everything by default.
const (
	commuteNoValues = 1 + iota // no vals and conds
	commuteNothing             // no results either
)

// commute_visited collects what the callbacks of the current call are given.
var commute_visited []any

type commuteServer struct {
	*commuteTable
	in        commute_io.Reader
	mu        commute_sync.Mutex // of out
	out       commute_io.Writer
	observers []commuteStep
	exits     map[int]bool // methods that call runtime.Goexit
	modes     map[string]*commuteMode
	stable    map[int]int     // differences of each method that were confirmed, none of them random
	notices   []commuteNotice // by method
	ends      map[int]string  // how a call of a method ended that did not return
	ended     bool            // a call did not return
	ignored   [2]bool         // results that are not compared in the current case
	scratch   commuteCall
	last      any  // the object that was made last
	traced    bool // each call is announced

	// For the watchdog: how many calls there were, whether one may be running, and which.
	calls, at commute_atomic.Int64
	busy      commute_atomic.Bool
	patience  commute_time.Duration
}

// A commuteStep is a call to be made.
type commuteStep struct {
	method int
	args   []byte
}

// A commuteCase is a state and two calls.
type commuteCase struct {
	pair  int
	steps []commuteStep
	ab    [2]commuteStep
	after []commuteStep // calls that look at the object, besides the observers
}

// commuteServe serves if the environment asks for it, and then ends the program. The variable has
// the table's index, the file descriptors to read and to write, and how many milliseconds a call
// may take.
func commuteServe(tables ...*commuteTable) {
	var n [4]int
	fields := commute_strings.Split(commute_os.Getenv("COMMUTE_SPEC_SERVE"), ",")
	if len(fields) != len(n) {
		return
	}
	for i, f := range fields {
		n[i], _ = commute_strconv.Atoi(f)
	}
	in, out := commute_os.Stdin, commute_os.Stdout
	if n[1] != 0 {
		in, out = commute_os.NewFile(uintptr(n[1]), "cases"),
			commute_os.NewFile(uintptr(n[2]), "answers")
	} else {
		commute_os.Stdout = commute_os.Stderr
	}
	s := &commuteServer{commuteTable: tables[n[0]], in: commute_bufio.NewReader(in), out: out,
		patience: commute_time.Duration(n[3]) * commute_time.Millisecond}
	s.serve()
	commute_os.Exit(0)
}

// prepare makes what is learned while cases run.
func (s *commuteServer) prepare() {
	s.exits, s.modes, s.ends = make(map[int]bool), make(map[string]*commuteMode),
		make(map[int]string)
	s.stable = make(map[int]int)
	s.notices = make([]commuteNotice, len(s.methods))
	for i := range s.notices {
		s.notices[i].first = make(map[string]*commuteCall)
	}
	s.observers = s.observing()
}

// serve answers frames until there are no more.
func (s *commuteServer) serve() {
	s.prepare()
	go s.watch()
	for {
		var size [4]byte
		if _, err := commute_io.ReadFull(s.in, size[:]); err != nil {
			return
		}
		frame := make([]byte, commute_binary.LittleEndian.Uint32(size[:]))
		if _, err := commute_io.ReadFull(s.in, frame); err != nil || len(frame) == 0 {
			return
		}
		cases := s.decode(frame[1:]) // none for M
		switch frame[0] {
		case 'B':
			flags := make([]byte, 0, len(cases))
			s.each(cases, func(c commuteCase) { flags = append(flags, s.try(c)) })
			s.answer('R', flags)
		case 'S':
			var samples []byte
			s.each(cases, func(c commuteCase) { samples = s.sample(c, samples) })
			s.answer('R', samples)
		case 'T':
			s.traced = true
			s.each(cases, func(c commuteCase) { s.sample(c, nil) })
			s.traced = false
			s.answer('R', nil)
		case 'E':
			var text []byte
			s.run(func() { text, _ = commute_json.Marshal(s.explain(cases[0])) })
			s.answer('X', text)
		case 'M':
			text, _ := commute_json.Marshal(s.random())
			s.answer('X', text)
		}
	}
}

// each calls f for the cases, and says which one is running.
func (s *commuteServer) each(cases []commuteCase, f func(commuteCase)) {
	done := 0
	s.run(func() {
		for done < len(cases) {
			s.at.Store(int64(done) << 32)
			f(cases[done])
			done++
		}
	})
}

// run calls f, and once more if it ended early because a method called runtime.Goexit. That method
// is known then, and gets a goroutine of its own.
func (s *commuteServer) run(f func()) {
	s.busy.Store(true)
	for done := false; !done; {
		end := make(chan bool)
		go func() {
			defer close(end)
			f()
			done = true
		}()
		<-end
	}
	s.busy.Store(false)
}

func (s *commuteServer) answer(kind byte, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frame := commute_binary.LittleEndian.AppendUint32(nil, uint32(len(data)+1))
	frame = append(append(frame, kind), data...)
	if _, err := s.out.Write(frame); err != nil {
		commute_os.Exit(0)
	}
}

// watch ends the program when a call does not return, and reports which.
func (s *commuteServer) watch() {
	const parts = 10
	still, last := 0, int64(-1)
	for {
		commute_time.Sleep(s.patience / parts)
		if n := s.calls.Load(); !s.busy.Load() || n != last {
			still, last = 0, n
			continue
		}
		if still++; still == parts {
			at := s.at.Load()
			text, _ := commute_json.Marshal(map[string]int{"Case": int(at >> 32),
				"Method": int(at & (1<<32 - 1))})
			s.answer('W', text)
			commute_os.Exit(1)
		}
	}
}

// decode reads cases up to the end of data.
func (s *commuteServer) decode(data []byte) (cases []commuteCase) {
	step := func(method int) commuteStep {
		n := len(s.methods[method].sizes)
		st := commuteStep{method, data[:n:n]}
		data = data[n:]
		return st
	}
	for len(data) > 0 {
		c := commuteCase{pair: int(commute_binary.LittleEndian.Uint16(data))}
		data = data[2:]
		for _, list := range []*[]commuteStep{&c.steps, &c.after} {
			n := int(data[0])
			data = data[1:]
			for range n {
				m := int(data[0])
				data = data[1:]
				*list = append(*list, step(m))
			}
		}
		for i, m := range s.pairs[c.pair].m {
			c.ab[i] = step(m)
		}
		cases = append(cases, c)
	}
	return cases
}
