// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"sync"
	"testing"
)

// filled returns a channel of n elements with room for none more.
func filled(n int) chan int {
	c := make(chan int, n)
	for range n {
		c <- 1
	}
	return c
}

// channel makes an edge of what two goroutines do with a channel.
func channel[T any](make func() chan T, signal, wait func(c chan T)) func(*testing.T) edge {
	return func(*testing.T) edge {
		c := make()
		return edge{func() { signal(c) }, func() { wait(c) }}
	}
}

func unbuffered() chan int       { return make(chan int) }
func room() chan int             { return make(chan int, 3) }
func full() chan int             { return filled(3) }
func fullOfOne() chan int        { return filled(1) }
func emptyElements() chan [0]int { return make(chan [0]int, 1) }
func largeElements() chan large  { return make(chan large, 1) }
func send[T any](c chan T)       { var zero T; c <- zero }
func receive[T any](c chan T)    { keep(<-c) }
func receiveOK[T any](c chan T)  { v, ok := <-c; keep(v); keep(ok) }
func closeIt[T any](c chan T)    { close(c) }
func receiveAll[T any](c chan T) {
	for v := range c {
		keep(v)
	}
}

func selectReceive(c chan int) {
	select {
	case v := <-c:
		keep(v)
	case <-make(chan int):
	}
}

func selectSend(c chan int) {
	select {
	case c <- 1:
	case <-make(chan int):
	}
}

func pollReceive(c chan int) {
	until(func() bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	})
}

func pollSend(c chan int) {
	until(func() bool {
		select {
		case c <- 1:
			return true
		default:
			return false
		}
	})
}

var channelEdges = edges{
	"Unbuffered":            channel(unbuffered, send, receive),
	"UnbufferedBack":        channel(unbuffered, receive, send),
	"UnbufferedOK":          channel(unbuffered, send, receiveOK),
	"UnbufferedSelect":      channel(unbuffered, selectSend, selectReceive),
	"UnbufferedSelectBack":  channel(unbuffered, selectReceive, selectSend),
	"UnbufferedPoll":        channel(unbuffered, send, pollReceive),
	"UnbufferedPollSend":    channel(unbuffered, pollSend, receive),
	"Buffered":              channel(room, send, receive),
	"BufferedSelect":        channel(room, selectSend, selectReceive),
	"BufferedPoll":          channel(room, pollSend, pollReceive),
	"BufferedEmptyElements": channel(emptyElements, send, receive),
	"BufferedLargeElements": channel(largeElements, send, receive),
	"FullBack":              channel(full, receive, send),
	"FullBackOfOne":         channel(fullOfOne, receive, send),
	"FullBackSelect":        channel(full, selectReceive, selectSend),
	"FullBackPoll":          channel(full, pollReceive, pollSend),
	"Close":                 channel(unbuffered, closeIt, receive),
	"CloseBuffered":         channel(room, closeIt, receiveOK),
	"CloseRange":            channel(full, closeIt, receiveAll),
	"CloseSelect":           channel(unbuffered, closeIt, selectReceive),
	"ClosePoll":             channel(unbuffered, closeIt, pollReceive),
	"ChannelOfChannels": func(*testing.T) edge {
		c := make(chan chan int)
		return edge{func() { d := make(chan int); c <- d; <-d }, func() { close(<-c) }}
	},
}

func TestRaceChannel(t *testing.T)   { channelEdges.races(t) }
func TestNoRaceChannel(t *testing.T) { channelEdges.ordered(t) }

// What is sent is the receiver's.
func TestNoRaceChannelHandover(t *testing.T) {
	t.Run("Pointer", func(*testing.T) {
		c := make(chan *cargo)
		together(
			func() { x := new(cargo); x.load(); c <- x },
			func() { x := <-c; x.unload(); x.load() },
		)
	})
	t.Run("Slice", func(*testing.T) {
		c := make(chan []int, 1)
		together(
			func() { x := []int{1, 2}; x[0] = 3; c <- x },
			func() { x := <-c; x[0] = 4 },
		)
	})
	t.Run("Copy", func(*testing.T) {
		c := make(chan large, 1)
		apart(
			func() { x := new(large); c <- *x; x.head = 1 },
			func() { x := <-c; x.head = 2; keep(x) },
		)
	})
	t.Run("BackAndForth", func(*testing.T) {
		c, back := make(chan *cargo), make(chan *cargo)
		together(
			func() {
				for x := new(cargo); x.number < 20; x = <-back {
					x.load()
					c <- x
				}
				close(c)
			},
			func() {
				for x := range c {
					x.unload()
					x.load()
					back <- x
				}
			},
		)
	})
	t.Run("Pipeline", func(*testing.T) {
		first, second := make(chan *cargo, 2), make(chan *cargo, 2)
		together(
			func() {
				for range 20 {
					x := new(cargo)
					x.load()
					first <- x
				}
				close(first)
			},
			func() {
				for x := range first {
					x.load()
					second <- x
				}
				close(second)
			},
			func() {
				for x := range second {
					x.unload()
				}
			},
		)
	})
}

func TestRaceChannelHandover(t *testing.T) {
	t.Run("SenderKeepsPointer", func(*testing.T) {
		c := make(chan *cargo, 1)
		apart(
			func() { x := new(cargo); c <- x; x.load() },
			func() { x := <-c; x.unload() },
		)
	})
	t.Run("SenderKeepsSlice", func(*testing.T) {
		c := make(chan []int, 1)
		apart(
			func() { x := []int{1, 2}; c <- x; x[1] = 3 },
			func() { x := <-c; x[1] = 4 },
		)
	})
	t.Run("CopySharesSlice", func(*testing.T) {
		c := make(chan cargo, 1)
		apart(
			func() { x := cargo{list: []int32{1}}; c <- x; x.list[0] = 2 },
			func() { x := <-c; keep(x.list[0]) },
		)
	})
	t.Run("TwoReceivers", func(*testing.T) {
		c, x := make(chan *cargo, 2), new(cargo)
		c <- x
		c <- x
		apart(func() { (<-c).load() }, func() { (<-c).load() })
	})
}

// A channel of one place is a lock; one of two isn't.
func semaphore(n int) {
	c, x := make(chan int, n), new(cargo)
	section := func() {
		c <- 1
		x.load()
		<-c
	}
	apart(section, section, section)
}

func TestNoRaceChannelLock(t *testing.T)    { semaphore(1) }
func TestRaceChannelSemaphore(t *testing.T) { semaphore(2) }

// With places left, a send waits for no receive.
func TestRaceChannelRoom(t *testing.T) {
	c, x := room(), new(cargo)
	c <- 1
	apart(
		func() { x.load(); <-c },
		func() { c <- 2; x.unload() },
	)
}

// A receive comes after its own element's send, and after no other in another goroutine.
func TestRaceChannelOtherElement(t *testing.T) {
	c, x := room(), new(cargo)
	apart(
		func() { c <- 1 },
		func() { x.load(); c <- 2 },
		func() { <-c; x.unload() },
	)
}

// Length and capacity say nothing about order, and are no access.
func TestRaceChannelLength(t *testing.T) {
	c, x := room(), new(cargo)
	apart(
		func() { x.load(); c <- 1 },
		func() { until(func() bool { return len(c) == 1 }); x.unload() },
	)
}

func TestNoRaceChannelLength(t *testing.T) {
	c := room()
	apart(func() { c <- 1 }, func() { keep(len(c)); keep(cap(c)) }, func() { <-c; close(c) }, func() { keep(len(c)) })
}

// The default case orders nothing, nor does a channel that isn't ready.
func TestRaceChannelNotReady(t *testing.T) {
	c, x := unbuffered(), new(cargo)
	poll := func() {
		select {
		case v := <-c:
			keep(v)
		case c <- 1:
		default:
		}
	}
	apart(func() { x.load(); poll() }, func() { poll(); x.unload() })
}

// Whether a send comes before a close must not be left to chance: the race detector takes the two for accesses.
var channelCloses = pairs{
	"Send": func() (a, b func()) {
		c := room()
		return func() { close(c) }, func() { defer func() { keep(recover()) }(); c <- 1 }
	},
	"SelectSend": func() (a, b func()) {
		c := room()
		return func() { close(c) }, func() { defer func() { keep(recover()) }(); selectSend(c) }
	},
}

func TestRaceChannelClose(t *testing.T)   { channelCloses.races(t) }
func TestNoRaceChannelClose(t *testing.T) { channelCloses.ordered(t) }

// Sends and receives may be made at any time.
func TestNoRaceChannelOperations(t *testing.T) {
	c := make(chan int, 100)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 50 {
				c <- i
				select {
				case v := <-c:
					keep(v)
				default:
				}
			}
		})
	}
	go func() {
		for v := range c {
			keep(v)
		}
	}()
	all.Wait()
	close(c)
}

// A variable that holds a channel is a variable.
func TestRaceChannelVariable(t *testing.T) {
	c := room()
	apart(func() { c <- 1 }, func() { c = room() })
}
