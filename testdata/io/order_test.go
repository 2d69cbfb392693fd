// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package io

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// pair returns two ends that read what the other one writes.
type pair func(t *testing.T) (a, b io.ReadWriteCloser)

func tcp(t *testing.T) (a, b io.ReadWriteCloser)   { return connection(t, "tcp") }
func local(t *testing.T) (a, b io.ReadWriteCloser) { return connection(t, "unix") }

func netPipe(t *testing.T) (a, b io.ReadWriteCloser) { return net.Pipe() }

type twoPipes struct {
	io.Reader
	io.WriteCloser
}

func osPipes(t *testing.T) (a, b io.ReadWriteCloser) {
	r1, w1, err := os.Pipe()
	must(t, err)
	r2, w2, err := os.Pipe()
	must(t, err)
	for _, f := range []*os.File{r1, w1, r2, w2} {
		closeAtEnd(t, f)
	}
	return twoPipes{r1, w2}, twoPipes{r2, w1}
}

func sockets(t *testing.T) (a, b io.ReadWriteCloser) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	var ends [2]io.ReadWriteCloser
	for i, fd := range fds {
		syscall.CloseOnExec(fd)
		f := os.NewFile(uintptr(fd), "socket")
		closeAtEnd(t, f)
		ends[i] = f
	}
	return ends[0], ends[1]
}

// A raw descriptor is read and written by package syscall.
type raw int

func (fd raw) Read(b []byte) (int, error)  { return syscall.Read(int(fd), b) }
func (fd raw) Write(b []byte) (int, error) { return syscall.Write(int(fd), b) }
func (fd raw) Close() error                { return syscall.Close(int(fd)) }

func rawPipes(t *testing.T) (a, b io.ReadWriteCloser) {
	var one, two [2]int
	must(t, syscall.Pipe(one[:]))
	must(t, syscall.Pipe(two[:]))
	for _, fd := range append(one[:], two[:]...) {
		closeAtEnd(t, raw(fd))
	}
	return twoPipes{raw(one[0]), raw(two[1])}, twoPipes{raw(two[0]), raw(one[1])}
}

// mixed has a pipe that is written by a copy of its descriptor, and one that is read by one.
func mixed(t *testing.T) (a, b io.ReadWriteCloser) {
	copied := func(f *os.File) raw {
		c, err := f.SyscallConn()
		must(t, err)
		var fd int
		must(t, c.Control(func(own uintptr) { fd, err = syscall.Dup(int(own)) }))
		must(t, err)
		must(t, syscall.SetNonblock(fd, false))
		closeAtEnd(t, raw(fd))
		return raw(fd)
	}
	a, b = osPipes(t)
	x, y := a.(twoPipes), b.(twoPipes)
	return twoPipes{copied(x.Reader.(*os.File)), x.WriteCloser},
		twoPipes{y.Reader, copied(y.WriteCloser.(*os.File))}
}

// fifos are pipes with names, which other processes could open.
func fifos(t *testing.T) (a, b io.ReadWriteCloser) {
	var ends [2][2]*os.File
	for i := range ends {
		name := t.TempDir() + "/fifo"
		must(t, syscall.Mkfifo(name, 0o600))
		for j := range ends[i] {
			f, err := os.OpenFile(name, os.O_RDWR, 0)
			must(t, err)
			closeAtEnd(t, f)
			ends[i][j] = f
		}
	}
	return twoPipes{ends[0][0], ends[1][0]}, twoPipes{ends[1][1], ends[0][1]}
}

// udp has two sockets that are connected to each other. Another socket of the machine may get one
// of their ports between its choice and its use; then others are chosen.
func udp(t *testing.T) (a, b io.ReadWriteCloser) {
	for {
		first, second := freeUDP(t), freeUDP(t)
		one, err := net.DialUDP("udp", first, second)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		must(t, err)
		closeAtEnd(t, one)
		other, err := net.DialUDP("udp", second, first)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		must(t, err)
		closeAtEnd(t, other)
		return one, other
	}
}

// freeUDP returns an address that no socket has.
func freeUDP(t *testing.T) *net.UDPAddr {
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr)
}

// pingPong has two goroutines call in turn, each when it has heard of the other.
func pingPong(t *testing.T, p pair) {
	c := new(cache)
	a, b := p(t)
	together(func() {
		for range 3 {
			c.get()
			send(t, a)
			receive(t, a)
			c.set()
		}
	}, func() {
		for range 3 {
			receive(t, b)
			c.get()
			c.set()
			send(t, b)
		}
	})
}

func TestNoRacePingPongTCP(t *testing.T)     { pingPong(t, tcp) }
func TestNoRacePingPongUnix(t *testing.T)    { pingPong(t, local) }
func TestNoRacePingPongNetPipe(t *testing.T) { pingPong(t, netPipe) }
func TestNoRacePingPongPipes(t *testing.T)   { pingPong(t, osPipes) }
func TestNoRacePingPongSockets(t *testing.T) { pingPong(t, sockets) }
func TestNoRacePingPongRaw(t *testing.T)     { pingPong(t, rawPipes) }
func TestNoRacePingPongMixed(t *testing.T)   { pingPong(t, mixed) }
func TestNoRacePingPongFifos(t *testing.T)   { pingPong(t, fifos) }
func TestNoRacePingPongUDP(t *testing.T)     { pingPong(t, udp) }

// crossed has a goroutine write to one pair, and another read from a second one: that is no order.
func crossed(t *testing.T, p pair) {
	c := new(cache)
	a1, b1 := p(t)
	a2, b2 := p(t)
	send(t, a2)
	inTurn(func() {
		c.get()
		send(t, a1)
	}, func() {
		receive(t, b2)
		c.get()
	})
	receive(t, b1)
}

func TestRaceCrossedTCP(t *testing.T) { crossed(t, tcp) }

// back has a goroutine write at the end where another one writes, too.
func back(t *testing.T, p pair) {
	c := new(cache)
	a, b := p(t)
	send(t, b)
	inTurn(func() {
		c.get()
		send(t, a)
	}, func() {
		receive(t, a)
		c.get()
	})
}

func TestRaceBackTCP(t *testing.T) { back(t, tcp) }

// ended has a goroutine learn from the end of what it reads that another one has closed its end.
func ended(t *testing.T, p pair) {
	for _, before := range []bool{false, true} {
		c := new(cache)
		a, b := p(t)
		if before {
			send(t, a)
			receive(t, b)
		}
		inTurn(func() {
			c.get()
			if half, ok := a.(interface{ CloseWrite() error }); ok && before {
				must(t, half.CloseWrite())
			} else {
				must(t, a.Close())
			}
		}, func() {
			if n, err := b.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Error(n, err)
			}
			c.set()
		})
	}
}

func TestNoRaceEndedTCP(t *testing.T)     { ended(t, tcp) }
func TestNoRaceEndedUnix(t *testing.T)    { ended(t, local) }
func TestNoRaceEndedPipes(t *testing.T)   { ended(t, osPipes) }
func TestNoRaceEndedSockets(t *testing.T) { ended(t, sockets) }

// TestNoRaceAccept learns from an error that the listener is closed.
func TestNoRaceAccept(t *testing.T) {
	for _, waiting := range []bool{false, true} {
		c := new(cache)
		l := listen(t, "tcp")
		var accepting flag
		together(func() {
			accepting.await()
			c.get()
			must(t, l.Close())
		}, func() {
			if waiting {
				accepting.raise()
			}
			if _, err := l.Accept(); err == nil {
				t.Error("accepted")
			}
			c.set()
		}, accepting.raise)
	}
}

// TestNoRaceReadClosed learns from an error that the file that it reads was closed.
func TestNoRaceReadClosed(t *testing.T) {
	c := new(cache)
	a, _ := osPipes(t)
	r := a.(twoPipes).Reader.(*os.File)
	together(func() {
		c.get()
		must(t, r.Close())
	}, func() {
		if _, err := r.Read(make([]byte, 1)); err == nil {
			t.Error("read")
		}
		c.set()
	})
}

// TestNoRaceBuffers writes several buffers at once.
func TestNoRaceBuffers(t *testing.T) {
	c := new(cache)
	a, b := connection(t, "tcp")
	together(func() {
		c.get()
		buffers := net.Buffers{oneByte, oneByte}
		_, err := buffers.WriteTo(a)
		must(t, err)
	}, func() {
		receive(t, b)
		c.get()
	})
}

// TestNoRaceRelayed has a goroutine pass on what it reads, which the kernel may do by itself.
func TestNoRaceRelayed(t *testing.T) {
	for _, networks := range [][2]string{{"tcp", "tcp"}, {"unix", "tcp"}, {"tcp", "unix"}} {
		c := new(cache)
		a, relayIn := connection(t, networks[0])
		relayOut, b := connection(t, networks[1])
		together(func() {
			c.get()
			send(t, a)
			must(t, a.Close())
		}, func() {
			_, err := io.Copy(relayOut, relayIn)
			must(t, err)
		}, func() {
			receive(t, b)
			c.get()
		})
	}
}

// file makes a file, and opens it twice.
func file(t *testing.T) (w, r *os.File) {
	t.Helper()
	w, err := os.Create(t.TempDir() + "/file")
	must(t, err)
	closeAtEnd(t, w)
	r, err = os.Open(w.Name())
	must(t, err)
	closeAtEnd(t, r)
	return w, r
}

// TestNoRaceFile reads what was written to a file.
func TestNoRaceFile(t *testing.T) {
	c := new(cache)
	w, r := file(t)
	inTurn(func() {
		c.get()
		send(t, w)
		must(t, w.Close())
	}, func() {
		receive(t, r)
		c.get()
	})
}

func TestNoRaceFileAt(t *testing.T) {
	c := new(cache)
	w, r := file(t)
	inTurn(func() {
		c.get()
		_, err := w.WriteAt(oneByte, 0)
		must(t, err)
	}, func() {
		_, err := r.ReadAt(make([]byte, 1), 0)
		must(t, err)
		c.get()
	})
}

// TestNoRaceFileSent has a file sent by the kernel.
func TestNoRaceFileSent(t *testing.T) {
	c := new(cache)
	w, r := file(t)
	a, b := connection(t, "tcp")
	var written flag
	together(func() {
		c.get()
		send(t, w)
		written.raise()
	}, func() {
		written.await()
		_, err := io.Copy(a, r)
		must(t, err)
	}, func() {
		receive(t, b)
		c.get()
	})
}

// TestNoRaceFileCopied has a file copied by the kernel.
func TestNoRaceFileCopied(t *testing.T) {
	c := new(cache)
	w, r := file(t)
	w2, r2 := file(t)
	var written, copied flag
	together(func() {
		c.get()
		send(t, w)
		written.raise()
	}, func() {
		written.await()
		_, err := io.Copy(w2, r)
		must(t, err)
		copied.raise()
	}, func() {
		copied.await()
		receive(t, r2)
		c.get()
	})
}

// TestNoRaceFileSignalled is told by a pipe that there is a file.
func TestNoRaceFileSignalled(t *testing.T) {
	c := new(cache)
	name := t.TempDir() + "/file"
	a, b := osPipes(t)
	together(func() {
		must(t, os.WriteFile(name, oneByte, 0o600))
		c.get()
		send(t, a)
	}, func() {
		receive(t, b)
		_, err := os.ReadFile(name)
		must(t, err)
		c.get()
	})
}

// TestRaceFiles has goroutines with a file each.
func TestRaceFiles(t *testing.T) {
	c := new(cache)
	w, r := file(t)
	w2, r2 := file(t)
	send(t, w2)
	inTurn(func() {
		c.get()
		send(t, w)
	}, func() {
		receive(t, r2)
		c.get()
	})
	receive(t, r)
}

// TestRaceNull reads from devices that give back nothing that was written.
func TestRaceNull(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	c := new(cache)
	file(t) // the first file starts the network poller, which orders once
	inTurn(func() {
		c.get()
		must(t, os.WriteFile(os.DevNull, oneByte, 0))
	}, func() {
		f, err := os.Open("/dev/zero")
		must(t, err)
		receive(t, f)
		must(t, f.Close())
		c.get()
	})
}
