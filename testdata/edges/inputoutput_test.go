// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !js && !wasip1

package edges

import (
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var oneByte = []byte{1}

func writeTo(t *testing.T, w io.Writer) func() {
	return func() {
		if _, err := w.Write(oneByte); err != nil {
			t.Error(err)
		}
	}
}

func readFrom(t *testing.T, r io.Reader) func() {
	return func() {
		if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
			t.Error(err)
		}
	}
}

// closeAtEnd closes c when the test that made it has ended.
func closeAtEnd(t *testing.T, c io.Closer) {
	t.Cleanup(func() { _ = c.Close() })
}

func ioPipe(t *testing.T) edge {
	r, w := io.Pipe()
	return edge{writeTo(t, w), readFrom(t, r)}
}

func ioPipeBack(t *testing.T) edge {
	r, w := io.Pipe()
	return edge{readFrom(t, r), writeTo(t, w)}
}

func ioPipeClose(t *testing.T) edge {
	r, w := io.Pipe()
	return edge{func() { _ = w.Close() }, func() { _, _ = r.Read(make([]byte, 1)) }}
}

func osPipe(t *testing.T) edge {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, r)
	closeAtEnd(t, w)
	return edge{writeTo(t, w), readFrom(t, r)}
}

func netPipe(t *testing.T) edge {
	a, b := net.Pipe()
	return edge{writeTo(t, a), readFrom(t, b)}
}

func loopback(t *testing.T) edge {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, client)
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, server)
	return edge{writeTo(t, client), readFrom(t, server)}
}

// bothWith is both for an edge that needs the test.
func bothWith(t *testing.T, newEdge func(t *testing.T) edge) {
	both(t, func() edge { return newEdge(t) })
}

func TestNoRaceIOPipe(t *testing.T)      { ordered(ioPipe(t)) }
func TestRaceIOPipe(t *testing.T)        { bothWith(t, ioPipe) }
func TestNoRaceIOPipeBack(t *testing.T)  { ordered(ioPipeBack(t)) }
func TestRaceIOPipeBack(t *testing.T)    { bothWith(t, ioPipeBack) }
func TestNoRaceIOPipeClose(t *testing.T) { ordered(ioPipeClose(t)) }
func TestRaceIOPipeClose(t *testing.T)   { bothWith(t, ioPipeClose) }
func TestNoRaceOSPipe(t *testing.T)      { ordered(osPipe(t)) }
func TestRaceOSPipe(t *testing.T)        { bothWith(t, osPipe) }
func TestNoRaceNetPipe(t *testing.T)     { ordered(netPipe(t)) }
func TestRaceNetPipe(t *testing.T)       { bothWith(t, netPipe) }
func TestNoRaceLoopback(t *testing.T)    { ordered(loopback(t)) }
func TestRaceLoopback(t *testing.T)      { bothWith(t, loopback) }

// writerFunc is a Writer that calls itself.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

// self is a command that runs this test binary, by the program that COMMUTE_EXEC names where the system alone can't.
func self(args ...string) *exec.Cmd {
	argv := append(strings.Fields(os.Getenv("COMMUTE_EXEC")), os.Args[0])
	argv = append(argv, args...)
	return exec.Command(argv[0], argv[1:]...)
}

// printSomething runs this test binary so that it prints a line and ends; on the line, the command's copying goroutine
// calls f.
func printSomething(t *testing.T, f func()) *exec.Cmd {
	cmd := self("-test.list=^TestNoRaceExec$")
	called := false
	cmd.Stdout = writerFunc(func() {
		if !called {
			called = true
			f()
		}
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestNoRaceExec(t *testing.T) {
	var o object
	cmd := printSomething(t, func() { o.write(1) })
	_ = cmd.Wait()
	o.read()
}

func TestRaceExec(t *testing.T) {
	var o object
	var written flag
	cmd := printSomething(t, func() { o.write(1); written.raise() })
	written.await()
	o.read()
	_ = cmd.Wait()
}
