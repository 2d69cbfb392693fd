// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A client is the other end of a running server.
type client struct {
	binary  string
	table   int
	dir     string
	timeout time.Duration // of one call

	cmd    *exec.Cmd
	to     io.WriteCloser
	from   *bufio.Reader
	pipe   io.Closer
	stderr *head
}

// A testCase is what the server runs: a state, and the two calls of a pair.
type testCase struct {
	pair  int
	steps []call
	ab    [2]call
	after []call // which look at the object, besides the observers
}

// The flags that the server answers a case with, as in package serve.
const (
	flagHeld = 1 << iota
	flagCommuted
	flagFirst
	flagSecond
	flagTested
	flagForth // of a sample: both calls returned with the first one first
	flagBack  // and with the second one first
)

// flagAlike is flagHeld of a sample: the two objects are made of equal parts.
const flagAlike = flagHeld

// sampleSize is how long the answer to a case is that is sampled.
const sampleSize = 1 + 2*8

// A difference is the server's explanation of a case.
type difference struct {
	Differs bool
	Outcome int
	Views   []struct {
		Method int
		Args   []int
	}
	Texts [2]string
	Ends  bool
}

// A stuck call is one that did not return.
type stuck struct{ Case, Method int }

func (s *stuck) Error() string { return "a call does not return" }

// errEnded says that the server is gone.
var errEnded = errors.New("the program under test ended")

// start runs the server.
func (c *client) start() error {
	c.cmd = exec.Command(c.binary)
	c.cmd.Dir = c.dir
	c.stderr = new(head)
	c.cmd.Stderr = c.stderr
	fds := "3,4"
	if runtime.GOOS == "windows" { // where a process is given no other files than the three
		fds = "0,0"
		var err error
		if c.to, err = c.cmd.StdinPipe(); err != nil {
			return err
		}
		out, err := c.cmd.StdoutPipe()
		if err != nil {
			return err
		}
		c.from, c.pipe = bufio.NewReader(out), out
	} else if err := c.extraFiles(); err != nil {
		return err
	}
	// A server makes little but garbage.
	c.cmd.Env = append(os.Environ(), "GOGC=1600", fmt.Sprintf("COMMUTE_SPEC_SERVE=%d,%s,%d",
		c.table, fds, c.timeout.Milliseconds()))
	err := c.cmd.Start()
	for _, f := range c.cmd.ExtraFiles {
		f.Close()
	}
	return err
}

// extraFiles gives the server files of its own to talk through, so that the program may print what
// it likes.
func (c *client) extraFiles() error {
	in, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return err
	}
	c.cmd.ExtraFiles = []*os.File{in, out}
	c.to, c.from, c.pipe = to, bufio.NewReader(from), from
	return nil
}

// stop ends the server.
func (c *client) stop() {
	if c.cmd == nil {
		return
	}
	c.to.Close()
	c.cmd.Process.Kill()
	c.pipe.Close()
	c.cmd.Wait()
	c.cmd = nil
}

// send writes a frame.
func (c *client) send(kind byte, cases ...testCase) error {
	frame := []byte{0, 0, 0, 0, kind}
	put := func(args []int) {
		for _, a := range args {
			frame = append(frame, byte(a))
		}
	}
	for i := range cases {
		t := &cases[i]
		frame = binary.LittleEndian.AppendUint16(frame, uint16(t.pair))
		for _, list := range [][]call{t.steps, t.after} {
			frame = append(frame, byte(len(list)))
			for _, st := range list {
				frame = append(frame, byte(st.method))
				put(st.args)
			}
		}
		put(t.ab[0].args)
		put(t.ab[1].args)
	}
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-4))
	if _, err := c.to.Write(frame); err != nil {
		return errEnded
	}
	return nil
}

// receive reads the answer to a frame.
func (c *client) receive() ([]byte, error) {
	// The server's own watchdog is the one that can say which call it is.
	timer := time.AfterFunc(10*c.timeout+time.Minute, func() { c.cmd.Process.Kill() })
	defer timer.Stop()
	var size [4]byte
	if _, err := io.ReadFull(c.from, size[:]); err != nil {
		return nil, errEnded
	}
	frame := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(c.from, frame); err != nil || len(frame) == 0 {
		return nil, errEnded
	}
	if frame[0] == 'W' {
		s := new(stuck)
		if err := json.Unmarshal(frame[1:], s); err != nil {
			return nil, err
		}
		return nil, s
	}
	return frame[1:], nil
}

// try runs cases, and returns their flags.
func (c *client) try(cases ...testCase) ([]byte, error) {
	if err := c.send('B', cases...); err != nil {
		return nil, err
	}
	return c.receive()
}

// sample runs cases, and returns for each its flags and the truths of conditions.
func (c *client) sample(cases []testCase) ([]byte, error) {
	if err := c.send('S', cases...); err != nil {
		return nil, err
	}
	return c.receive()
}

// explain says what differs in a case.
func (c *client) explain(t testCase) (d difference, err error) {
	return d, c.ask('E', &d, t)
}

// oddities are methods with random results, with some arguments or always, those that make a
// difference in samples, and how the first call of a method ended that did not
// return.
type oddities struct {
	Random, Always, Work []int
	Ends                 map[int]string
}

// early asks for the oddities that have been seen.
func (c *client) early() (o oddities, err error) { return o, c.ask('M', &o) }

// ask sends a frame whose answer is JSON.
func (c *client) ask(kind byte, answer any, cases ...testCase) error {
	if err := c.send(kind, cases...); err != nil {
		return err
	}
	text, err := c.receive()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// culprit says in one error which of cases ended or blocked the server: err is what came of them.
func (c *client) culprit(p *plan, cases []testCase, err error) error {
	var s *stuck
	switch {
	case errors.As(err, &s) && s.Case < len(cases):
		t := cases[s.Case]
		return &caseError{p, t, fmt.Sprintf("%s does not return within %v",
			p.methods[s.Method].Name, c.timeout),
			"leave a method that waits out of the specification, or give it arguments with which " +
				"it does not: //ecl:sample; -timeout gives it longer"}
	case !errors.Is(err, errEnded):
		return err
	}
	for _, t := range cases {
		c.stop()
		if err := c.start(); err != nil {
			return err
		}
		if _, err := c.try(t); errors.As(err, &s) {
			return c.culprit(p, []testCase{t}, err)
		} else if err != nil {
			c.cmd.Wait()
			return &caseError{p, t, "the program under test ends: " + c.cmd.ProcessState.String() +
				c.stderr.String(),
				"mend it, or leave the method out of the specification"}
		}
	}
	return fmt.Errorf("%s: the program under test ended, and did not when it was run again%s",
		p.pkg.PkgPath, c.stderr)
}

// A caseError is an end of the test for which a case is to blame.
type caseError struct {
	p          *plan
	t          testCase
	text, hint string
}

func (e *caseError) Error() string {
	pair := e.p.spec.Pairs[e.t.pair]
	return fmt.Sprintf("%s: %s, in: %s (%s)", e.p.short(pair.Pos), e.text,
		human(strings.Join(e.p.lines("x", e.t), "; ")), e.hint)
}

// A head keeps the beginning of what a program prints, which says more than the end.
type head struct {
	mu   sync.Mutex
	text []byte
}

const headSize = 2000

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.text) < headSize {
		h.text = append(h.text, p[:min(len(p), headSize-len(h.text))]...)
	}
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.text) == 0 {
		return ""
	}
	return "\n" + string(h.text) + "\n"
}

// temp makes a folder for the server's files, and says how to remove it.
func temp() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "commute-spec-test-")
	if err != nil {
		return "", nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}
