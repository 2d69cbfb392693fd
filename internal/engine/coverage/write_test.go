// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package coverage

import (
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/vclock"
)

// TestProfile writes the profile of a few operations: their order is none that counts.
func TestProfile(t *testing.T) {
	fixture.Clear(t)
	Forget()
	defer Forget()
	put, get, _ := fixture.AppMain()
	site := func(s *stack.Stack) uintptr { return s.Frames()[0] }
	fixture.Register(fixture.CacheCall("cache.go", 12, "Store"),
		fixture.CacheCall("cache.go", 12, "Lock"))
	var world vclock.World
	var clocks [2]vclock.Thread
	var covered [2]offheap.Ref[Thread]
	var object, lock offheap.AtomicRef[Object]
	for i := range clocks {
		world.Start(&clocks[i])
	}
	table := fixture.MapTable(t)
	var keys [commrace.Keys]uint64
	ThreadAt(&covered[0]).Called(ObjectAt(&object), &clocks[0], 1, table, fixture.Store, 0, &keys,
		site(put))
	ThreadAt(&covered[1]).Called(ObjectAt(&object), &clocks[1], 2, table, fixture.Load, 0, &keys,
		site(get))
	ThreadAt(&covered[0]).Locked(ObjectAt(&lock), 1, false, true, site(put))
	ThreadAt(&covered[1]).Locked(ObjectAt(&lock), 2, true, true, site(get))
	var b text.Buffer
	write(&b)
	const pkg = fixture.Package
	want := []string{
		"commute concurrency 1",
		"op call kv.Map - Load " + pkg + "/cache.go:22",
		"op call kv.Map " + pkg + ".Server.cache Store " + pkg + "/cache.go:12",
		"op lock sync.RWMutex - RLock " + pkg + "/cache.go:22",
		"op lock sync.RWMutex " + pkg + ".Server.cache Lock " + pkg + "/cache.go:12",
		"pair call kv.Map " + pkg + ".Server.cache Store " + pkg + "/cache.go:12 Load " + pkg +
			"/cache.go:22 unordered",
		"pair lock sync.RWMutex " + pkg + ".Server.cache Lock " + pkg + "/cache.go:12 RLock " + pkg +
			"/cache.go:22 before",
		"type kv.Map Load,Store Load,Swap Store,Store Store,Swap Store,Claim Store,Len Swap,Swap " +
			"Swap,Claim Swap,Len Claim,Claim",
	}
	got := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the profile is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestEscape has characters that no word can have.
func TestEscape(t *testing.T) {
	var b text.Buffer
	escape(&b, "a b%c,d\x7fé\n")
	if got, want := b.String(), "a%20b%25c%2cd%7fé%0a"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
