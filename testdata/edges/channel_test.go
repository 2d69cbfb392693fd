// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import "testing"

func send[T any](c chan<- T) func() {
	return func() {
		var zero T
		c <- zero
	}
}

func receive[T any](c <-chan T) func() { return func() { <-c } }

// filled returns a channel of n elements with room for none more.
func filled[T any](n int) chan T {
	c := make(chan T, n)
	for range n {
		send(c)()
	}
	return c
}

func unbuffered() edge {
	c := make(chan int)
	return edge{send(c), receive(c)}
}

func TestNoRaceUnbuffered(t *testing.T) { ordered(unbuffered()) }
func TestRaceUnbuffered(t *testing.T)   { both(t, unbuffered) }

func unbufferedBack() edge {
	c := make(chan int)
	return edge{receive(c), send(c)}
}

func TestNoRaceUnbufferedBack(t *testing.T) { ordered(unbufferedBack()) }
func TestRaceUnbufferedBack(t *testing.T)   { both(t, unbufferedBack) }

func unbufferedEmpty() edge {
	c := make(chan struct{})
	return edge{send(c), receive(c)}
}

func TestNoRaceUnbufferedEmpty(t *testing.T) { ordered(unbufferedEmpty()) }
func TestRaceUnbufferedEmpty(t *testing.T)   { both(t, unbufferedEmpty) }

func buffered() edge {
	c := make(chan int, 3)
	return edge{send(c), receive(c)}
}

func TestNoRaceBuffered(t *testing.T) { ordered(buffered()) }
func TestRaceBuffered(t *testing.T)   { both(t, buffered) }

func bufferedEmpty() edge {
	c := make(chan struct{}, 3)
	return edge{send(c), receive(c)}
}

func TestNoRaceBufferedEmpty(t *testing.T) { ordered(bufferedEmpty()) }
func TestRaceBufferedEmpty(t *testing.T)   { both(t, bufferedEmpty) }

// The k-th receive comes before the end of the (k+C)-th send: a channel of capacity C is a semaphore.
func bufferedBack() edge {
	c := filled[int](3)
	return edge{receive(c), send(c)}
}

func TestNoRaceBufferedBack(t *testing.T) { ordered(bufferedBack()) }
func TestRaceBufferedBack(t *testing.T)   { both(t, bufferedBack) }

func bufferedBackEmpty() edge {
	c := filled[struct{}](3)
	return edge{receive(c), send(c)}
}

func TestNoRaceBufferedBackEmpty(t *testing.T) { ordered(bufferedBackEmpty()) }
func TestRaceBufferedBackEmpty(t *testing.T)   { both(t, bufferedBackEmpty) }

// While there is room, a send waits for no receive.
func TestRaceBufferedRoom(t *testing.T) {
	var o object
	var received flag
	c := make(chan int, 2)
	c <- 1
	together(
		func() { o.write(1); <-c; received.raise() },
		func() { received.await(); c <- 2; o.read() },
	)
}

// The second receive doesn't see what came before the first send's successor: only its own element's sender.
func TestRaceBufferedOther(t *testing.T) {
	var o object
	var first, second flag
	c := make(chan int, 2)
	together(
		func() { c <- 1; first.raise() },
		func() { first.await(); o.write(1); c <- 2; second.raise() },
		func() { second.await(); <-c; o.read() },
	)
}

func closed() edge {
	c := make(chan int)
	return edge{func() { close(c) }, receive(c)}
}

func TestNoRaceClose(t *testing.T) { ordered(closed()) }
func TestRaceClose(t *testing.T)   { both(t, closed) }

func closedRange() edge {
	c := make(chan int, 1)
	c <- 1
	return edge{func() { close(c) }, func() {
		for range c {
		}
	}}
}

func TestNoRaceCloseRange(t *testing.T) { ordered(closedRange()) }
func TestRaceCloseRange(t *testing.T)   { both(t, closedRange) }

// One close comes before every receive that it ends.
func TestNoRaceCloseMany(t *testing.T) {
	var o object
	c := make(chan int)
	reader := func() { <-c; o.read() }
	together(reader, reader, reader, func() { o.write(1); close(c) })
}

// The length of a channel says nothing about order.
func TestRaceChanLen(t *testing.T) {
	var o object
	c := make(chan int, 1)
	together(
		func() { o.write(1); c <- 1 },
		func() { until(func() bool { return len(c) == 1 }); o.read() },
	)
}

func selectReceive() edge {
	c, other := make(chan int), make(chan int)
	return edge{send(c), func() {
		select {
		case <-c:
		case <-other:
		}
	}}
}

func TestNoRaceSelectReceive(t *testing.T) { ordered(selectReceive()) }
func TestRaceSelectReceive(t *testing.T)   { both(t, selectReceive) }

func selectSend() edge {
	c, other := make(chan int), make(chan int)
	return edge{func() {
		select {
		case c <- 1:
		case <-other:
		}
	}, receive(c)}
}

func TestNoRaceSelectSend(t *testing.T) { ordered(selectSend()) }
func TestRaceSelectSend(t *testing.T)   { both(t, selectSend) }

func selectSendBack() edge {
	c, other := make(chan int), make(chan int)
	return edge{receive(c), func() {
		select {
		case c <- 1:
		case <-other:
		}
	}}
}

func TestNoRaceSelectSendBack(t *testing.T) { ordered(selectSendBack()) }
func TestRaceSelectSendBack(t *testing.T)   { both(t, selectSendBack) }

func selectBuffered() edge {
	c, other := make(chan int, 1), make(chan int, 1)
	return edge{func() {
		select {
		case c <- 1:
		case <-other:
		}
	}, func() {
		select {
		case <-c:
		case <-other:
		}
	}}
}

func TestNoRaceSelectBuffered(t *testing.T) { ordered(selectBuffered()) }
func TestRaceSelectBuffered(t *testing.T)   { both(t, selectBuffered) }

func selectDefault() edge {
	c := make(chan int, 1)
	return edge{send(c), func() {
		until(func() bool {
			select {
			case <-c:
				return true
			default:
				return false
			}
		})
	}}
}

func TestNoRaceSelectDefault(t *testing.T) { ordered(selectDefault()) }
func TestRaceSelectDefault(t *testing.T)   { both(t, selectDefault) }

func selectClose() edge {
	c, other := make(chan int), make(chan int)
	return edge{func() { close(c) }, func() {
		select {
		case <-c:
		case <-other:
		}
	}}
}

func TestNoRaceSelectClose(t *testing.T) { ordered(selectClose()) }
func TestRaceSelectClose(t *testing.T)   { both(t, selectClose) }

// A default that is taken orders nothing.
func TestRaceSelectDefaultTaken(t *testing.T) {
	var o object
	var received flag
	c := make(chan int, 1)
	c <- 1
	together(
		func() { o.write(1); <-c; received.raise() },
		func() {
			received.await()
			select {
			case <-c:
			default:
			}
			o.read()
		},
	)
}
