// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !js && !wasip1

package dataraces

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A stream is two ends of something to write to and read from.
type stream func(t *testing.T) (io.Reader, io.Writer)

// closeAtEnd closes c when the test that made it has ended.
func closeAtEnd[C io.Closer](t *testing.T, c C) C {
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var streams = map[string]stream{
	"IOPipe": func(*testing.T) (io.Reader, io.Writer) { return io.Pipe() },
	"OSPipe": func(t *testing.T) (io.Reader, io.Writer) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return closeAtEnd(t, r), closeAtEnd(t, w)
	},
	"NetPipe": func(*testing.T) (io.Reader, io.Writer) { return net.Pipe() },
	"TCP":     func(t *testing.T) (io.Reader, io.Writer) { return connection(t, "tcp", "127.0.0.1:0") },
	"Unix": func(t *testing.T) (io.Reader, io.Writer) {
		return connection(t, "unix", t.TempDir()+"/socket")
	},
}

// connection returns a connection's two ends.
func connection(t *testing.T, network, address string) (r io.Reader, w io.Writer) {
	l := must(net.Listen(network, address))
	defer func() { _ = l.Close() }()
	client := closeAtEnd(t, must(net.Dial(network, l.Addr().String())))
	return closeAtEnd(t, must(l.Accept())), client
}

func streamEdges() edges {
	e := make(edges)
	for name, open := range streams {
		e[name] = func(t *testing.T) edge {
			r, w := open(t)
			return edge{
				func() { keep(must(w.Write([]byte{1}))) },
				func() { keep(must(io.ReadFull(r, make([]byte, 1)))) },
			}
		}
	}
	e["IOPipeBack"] = func(*testing.T) edge {
		r, w := io.Pipe()
		return edge{func() { keep(must(r.Read(make([]byte, 1)))) }, func() { keep(must(w.Write([]byte{1}))) }}
	}
	e["IOPipeClose"] = func(*testing.T) edge {
		r, w := io.Pipe()
		return edge{func() { _ = w.Close() }, func() { _, _ = r.Read(make([]byte, 1)) }}
	}
	e["Accept"] = func(t *testing.T) edge {
		l := closeAtEnd(t, must(net.Listen("tcp", "127.0.0.1:0")))
		return edge{
			func() {
				c := closeAtEnd(t, must(net.Dial("tcp", l.Addr().String())))
				keep(must(c.Write([]byte{1})))
			},
			func() {
				c := closeAtEnd(t, must(l.Accept()))
				keep(must(c.Read(make([]byte, 1))))
			},
		}
	}
	return e
}

func TestRaceStream(t *testing.T)   { streamEdges().races(t) }
func TestNoRaceStream(t *testing.T) { streamEdges().ordered(t) }

// A buffer that is read into or written from is memory like any other.
func TestRaceStreamBuffer(t *testing.T) {
	for _, name := range []string{"OSPipe", "TCP"} {
		pairs{
			name + "/Written": func() (a, b func()) {
				r, w := streams[name](t)
				buffer := []byte("abc")
				return func() { keep(must(w.Write(buffer))); keep(r) }, func() { buffer[1] = 'x' }
			},
			name + "/Read": func() (a, b func()) {
				r, w := streams[name](t)
				keep(must(w.Write([]byte("abc"))))
				buffer := make([]byte, 3)
				return func() { keep(must(io.ReadFull(r, buffer))) }, func() { keep(buffer[1]) }
			},
		}.races(t)
	}
}

func TestNoRaceStreamBuffers(t *testing.T) {
	for _, name := range []string{"OSPipe", "TCP", "Unix"} {
		t.Run(name, func(t *testing.T) {
			r, w := streams[name](t)
			write := func() {
				buffer := make([]byte, 10)
				for i := range 20 {
					buffer[i%10]++
					keep(must(w.Write(buffer)))
				}
			}
			read := func() {
				buffer := make([]byte, 10)
				for range 20 {
					keep(must(io.ReadFull(r, buffer)))
					buffer[0]++
				}
			}
			together(write, read, write, read) // files are for any number of goroutines
		})
	}
}

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

// printing starts this test binary so that it prints a line and ends; on the line, the command's copying goroutine
// calls f.
func printing(f func()) *exec.Cmd {
	cmd := self("-test.list=^TestNoRaceExec$")
	called := false
	cmd.Stdout = writerFunc(func() {
		if !called {
			called = true
			f()
		}
	})
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

func TestNoRaceExec(t *testing.T) {
	t.Run("Wait", func(*testing.T) {
		c := new(cargo)
		cmd := printing(c.load)
		_ = cmd.Wait()
		c.unload()
	})
	t.Run("Output", func(*testing.T) {
		out := must(self("-test.list=^TestNoRaceExec$").Output())
		out[0]++
	})
	t.Run("Pipe", func(*testing.T) {
		cmd := self("-test.list=^TestNoRaceExec$")
		r := must(cmd.StdoutPipe())
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		for lines := bufio.NewScanner(r); lines.Scan(); {
			keep(lines.Text())
		}
		_ = cmd.Wait()
	})
}

func TestRaceExec(t *testing.T) {
	c := new(cargo)
	var loaded flag
	cmd := printing(func() { c.load(); loaded.raise() })
	loaded.await()
	c.unload()
	_ = cmd.Wait()
}

// A log line is written under a lock; what it prints is read before.
func TestRacePrinted(t *testing.T) {
	w := must(os.OpenFile(os.DevNull, os.O_WRONLY, 0))
	defer func() { _ = w.Close() }()
	x := new(int)
	apart(func() { _, _ = fmt.Fprintln(w, *x) }, func() { *x = 1 })
}
