// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package machine

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
)

func channel[T any](c chan T) link {
	var zero T
	return link{signal: func() { c <- zero }, wait: func() { <-c }}
}

func closed(u use) link {
	c := make(chan int, u.room)
	return link{signal: func() { close(c) }, wait: func() { <-c }}
}

func selectRecv(use) link {
	c, never := make(chan int, 1), make(chan int)
	return link{
		signal: func() { c <- 1 },
		wait: func() {
			select {
			case <-c:
			case <-never:
			case never <- 1:
			}
		},
	}
}

func selectSend(u use) link {
	c, never := make(chan int, u.room), make(chan int)
	return link{
		signal: func() {
			select {
			case <-never:
			case c <- 1:
			}
		},
		wait: func() { <-c },
	}
}

// selectMeet is a link in which both sides are selects.
func selectMeet(use) link {
	c, never := make(chan int), make(chan int)
	return link{
		signal: func() {
			select {
			case c <- 1:
			case <-never:
			}
		},
		wait: func() {
			select {
			case <-never:
			case <-c:
			}
		},
	}
}

// selectPoll is a link whose waiter polls by selects with a default case.
func selectPoll(use) link {
	c := make(chan int, 1)
	return link{
		signal: func() { c <- 1 },
		wait: func() {
			wait(func() bool {
				select {
				case <-c:
					return true
				default:
					return false
				}
			})
		},
	}
}

func timer(use) link {
	t, fired := time.NewTimer(time.Hour), new(notice)
	return link{
		signal: func() { reset(t, fired) },
		wait:   func() { <-t.C; fired.raise() },
		end:    fired.raise,
	}
}

func ticker(use) link {
	t, fired := time.NewTicker(time.Hour), new(notice)
	again := func() { t.Reset(100 * soon) }
	return link{
		signal: func() { again(); go insist(again, fired) },
		wait:   func() { <-t.C; fired.raise() },
		end:    func() { fired.raise(); t.Stop() },
	}
}

func ctxCancel(use) link {
	ctx, cancel := context.WithCancel(context.Background())
	return link{signal: cancel, wait: func() { <-ctx.Done() }}
}

func ctxErr(use) link {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	return link{signal: cancel, wait: func() { wait(func() bool { return ctx.Err() != nil }) }}
}

func ctxChild(use) link {
	ctx, cancel := context.WithCancel(context.Background())
	child, end := context.WithTimeout(context.WithValue(ctx, use{}, 1), time.Hour)
	return link{signal: cancel, wait: func() { <-child.Done() }, end: end}
}

func ctxCause(use) link {
	ctx, cancel := context.WithCancelCause(context.Background())
	return link{
		signal: func() { cancel(errors.New("cause")) },
		wait:   func() { wait(func() bool { return context.Cause(ctx) != nil }) },
	}
}

// stream is a link by a byte that is written.
func stream(w io.Writer, r io.Reader, end func()) link {
	return link{
		signal: func() { _, err := w.Write([]byte{1}); check(err) },
		wait:   func() { _, err := io.ReadFull(r, make([]byte, 1)); check(err) },
		end:    end,
	}
}

func ioPipe(use) link {
	r, w := io.Pipe()
	return stream(w, r, nil)
}

func osPipe(use) link {
	r, w, err := os.Pipe()
	check(err)
	return stream(w, r, func() { _ = r.Close(); _ = w.Close() })
}

func file(use) link {
	w, err := os.CreateTemp("", "soak")
	check(err)
	r, err := os.Open(w.Name())
	check(err)
	return link{
		signal: func() { _, err := w.Write([]byte{1}); check(err) },
		wait: func() {
			wait(func() bool { n, _ := r.ReadAt(make([]byte, 1), 0); return n == 1 })
		},
		end: func() { _ = r.Close(); _ = w.Close(); _ = os.Remove(w.Name()) },
	}
}

func socket(network, address string) link {
	l, err := net.Listen(network, address)
	check(err)
	w, err := net.Dial(network, l.Addr().String())
	check(err)
	r, err := l.Accept()
	check(err)
	return stream(w, r, func() { _ = r.Close(); _ = w.Close(); _ = l.Close() })
}

func unix(use) link {
	dir, err := os.MkdirTemp("", "soak")
	check(err)
	l := socket("unix", filepath.Join(dir, "s"))
	end := l.end
	l.end = func() { end(); _ = os.RemoveAll(dir) }
	return l
}
