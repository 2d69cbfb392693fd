// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"iter"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestNoRaceGo(t *testing.T) {
	t.Run("Child", func(*testing.T) {
		c, done := new(cargo), make(chan int)
		c.load()
		go func() { c.load(); close(done) }()
		<-done
		c.unload()
	})
	t.Run("Grandchild", func(*testing.T) {
		c, done := new(cargo), make(chan int)
		c.load()
		go func() { go func() { c.load(); close(done) }() }()
		<-done
	})
	t.Run("Method", func(*testing.T) {
		c := new(cargo)
		var ended flag
		c.load()
		go c.unload()
		go func() { c.unload(); ended.raise() }()
		ended.await()
	})
	t.Run("Many", func(*testing.T) {
		c := new(cargo)
		for range 300 {
			var all sync.WaitGroup
			all.Go(c.load)
			all.Wait()
		}
		c.unload()
	})
	t.Run("ManyAtOnce", func(*testing.T) {
		var all sync.WaitGroup
		results := make([]cargo, 300)
		for i := range results {
			all.Go(results[i].load)
		}
		all.Wait()
		for i := range results {
			results[i].unload()
		}
	})
}

func TestRaceGo(t *testing.T) {
	t.Run("ParentWrites", func(*testing.T) {
		c := new(cargo)
		var loaded, ended flag
		go func() { loaded.await(); c.unload(); ended.raise() }()
		c.load()
		loaded.raise()
		ended.await()
	})
	t.Run("ParentReads", func(*testing.T) {
		c := new(cargo)
		var ended flag
		go func() { c.load(); ended.raise() }()
		ended.await()
		c.unload()
	})
	t.Run("Siblings", func(*testing.T) {
		c := new(cargo)
		var first, second flag
		go func() { c.load(); first.raise() }()
		first.await()
		go func() { c.load(); second.raise() }()
		second.await()
	})
	t.Run("Gosched", func(*testing.T) {
		c := new(cargo)
		apart(func() { c.load(); runtime.Gosched() }, func() { runtime.Gosched(); c.unload() })
	})
	t.Run("LockedThread", func(*testing.T) {
		c := new(cargo)
		locked := func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			c.load()
		}
		apart(locked, locked)
	})
	t.Run("Many", func(*testing.T) {
		c := new(cargo)
		fs := make([]func(), 50)
		for i := range fs {
			fs[i] = c.load
		}
		apart(fs...)
	})
}

// Others come and go between the two accesses: a detector that reuses their slots must not forget.
func TestRaceGoMeanwhile(t *testing.T) {
	c := new(cargo)
	var loaded, over flag
	together(
		func() { c.load(); loaded.raise(); over.await() },
		func() {
			loaded.await()
			for range 300 {
				var all sync.WaitGroup
				all.Go(func() { new(cargo).load() })
				all.Wait()
			}
			c.unload()
			over.raise()
		},
	)
}

var waitEdges = edges{
	"Done": func(*testing.T) edge {
		all := new(sync.WaitGroup)
		all.Add(1)
		return edge{all.Done, all.Wait}
	},
	"Two": func(*testing.T) edge {
		all := new(sync.WaitGroup)
		all.Add(2)
		return edge{func() { all.Done(); all.Add(-1) }, all.Wait}
	},
	"Group": func(*testing.T) edge {
		g, end := newGroup(), make(chan int)
		g.run(func() error { <-end; return nil })
		return edge{func() { close(end) }, func() { _ = g.wait() }}
	},
}

// A group is like an errgroup.
type group struct {
	all   sync.WaitGroup
	once  sync.Once
	err   error
	limit chan int
}

func newGroup() *group { return &group{limit: make(chan int, 2)} }

func (g *group) run(f func() error) {
	g.limit <- 1
	g.all.Go(func() {
		defer func() { <-g.limit }()
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

func (g *group) wait() error {
	g.all.Wait()
	return g.err
}

func TestRaceWaitGroup(t *testing.T)   { waitEdges.races(t) }
func TestNoRaceWaitGroup(t *testing.T) { waitEdges.ordered(t) }

func TestNoRaceGroup(t *testing.T) {
	g := newGroup()
	results := make([]cargo, 20)
	for i := range results {
		g.run(func() error { results[i].load(); return errOwn })
	}
	keep(g.wait())
	for i := range results {
		results[i].unload()
	}
}

// One Done doesn't come before another, nor before the start of the next.
func TestRaceGroup(t *testing.T) {
	t.Run("Done", func(*testing.T) {
		c := new(cargo)
		var all sync.WaitGroup
		all.Add(2)
		apart(func() { c.load(); all.Done() }, func() { all.Done(); c.unload() })
	})
	t.Run("Members", func(*testing.T) {
		g, c := newGroup(), new(cargo)
		var loaded flag
		g.run(func() error { c.load(); loaded.raise(); return nil })
		g.run(func() error { loaded.await(); c.unload(); return nil })
		_ = g.wait()
	})
	t.Run("Error", func(*testing.T) {
		g := newGroup()
		var failed flag
		g.run(func() error { return errOwn })
		g.run(func() error { until(func() bool { return len(g.limit) == 1 }); failed.raise(); return nil })
		failed.await()
		keep(g.err)
		_ = g.wait()
	})
}

func TestNoRaceIterPull(t *testing.T) {
	c := new(cargo)
	next, stop := iter.Pull(func(yield func(int) bool) {
		defer c.load()
		c.load()
		if yield(1) {
			c.load()
			yield(2)
		}
	})
	next()
	c.load()
	next()
	c.load()
	stop()
	c.unload()
}

// The sequence runs wherever next is called.
func TestNoRaceIterPullElsewhere(t *testing.T) {
	c := new(cargo)
	next, stop := iter.Pull2(func(yield func(int, *cargo) bool) {
		for i := range 4 {
			c.load()
			yield(i, c)
		}
	})
	use := func() { _, c, _ := next(); c.load() }
	inTurn(use, use, stop)
}

func TestRaceIterPull(t *testing.T) {
	t.Run("Goroutine", func(*testing.T) {
		c := new(cargo)
		var loaded flag
		next, stop := iter.Pull(func(yield func(int) bool) {
			go func() { c.load(); loaded.raise() }()
			loaded.await()
			yield(1)
		})
		next()
		c.unload()
		stop()
	})
	t.Run("TwoIterators", func(*testing.T) {
		c := new(cargo)
		pull := func() {
			next, stop := iter.Pull(func(yield func(int) bool) { c.load(); yield(1) })
			next()
			stop()
		}
		apart(pull, pull)
	})
}

func TestNoRaceSynctest(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		c, stay := new(cargo), make(chan int)
		go func() { c.load() }()
		synctest.Wait()
		c.load()
		go func() { c.load(); <-stay }()
		synctest.Wait()
		c.load()
		time.AfterFunc(time.Second, c.load)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		c.unload()
		close(stay)
	})
}

// In a bubble, too, only what synchronizes does.
func TestRaceSynctest(t *testing.T) {
	t.Run("BeforeWait", func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			c := new(cargo)
			var unloaded flag
			go func() { unloaded.await(); c.load() }()
			c.unload()
			unloaded.raise()
			synctest.Wait()
		})
	})
	t.Run("Siblings", func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			c := new(cargo)
			var loaded flag
			go func() { c.load(); loaded.raise() }()
			go func() { loaded.await(); c.unload() }()
			synctest.Wait()
		})
	})
	t.Run("Sleep", func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			c := new(cargo)
			go func() { time.Sleep(time.Second); c.load() }()
			time.Sleep(2 * time.Second)
			c.unload()
		})
	})
}
