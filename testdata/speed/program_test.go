// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func startAndJoin(n int) {
	for range n {
		var one sync.WaitGroup
		one.Go(func() {})
		one.Wait()
	}
}

// BenchmarkGoJoin starts a goroutine and waits for its end, after many others have come and gone.
// The cost must not grow.
func BenchmarkGoJoin(b *testing.B) {
	started := 0
	for _, before := range []int{1e3, 1e5, 1e6} {
		b.Run(fmt.Sprintf("%d", before), func(b *testing.B) {
			startAndJoin(before - started)
			started = max(started, before)
			for b.Loop() {
				startAndJoin(1)
			}
		})
	}
}

// BenchmarkGoFan starts a hundred goroutines at once and waits for all.
func BenchmarkGoFan(b *testing.B) {
	for b.Loop() {
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {})
		}
		all.Wait()
	}
}

// BenchmarkLive100k starts 100,000 goroutines that are alive at once and reports what each costs in
// memory.
func BenchmarkLive100k(b *testing.B) {
	const n = 100_000
	each := 0.0 // of the first iteration: later ones find the memory there
	for b.Loop() {
		before := resident()
		stop := make(chan int)
		var ready, all sync.WaitGroup
		ready.Add(n)
		for range n {
			all.Go(func() { ready.Done(); <-stop })
		}
		ready.Wait()
		if each == 0 {
			each = float64(resident()-before) / n
		}
		close(stop)
		all.Wait()
	}
	b.ReportMetric(each, "B/goroutine")
}

// BenchmarkWoken10k starts 10,000 goroutines, wakes them all by closing a channel, and waits for
// them. The cost of each must not grow with their number, nor with those that were there before.
func BenchmarkWoken10k(b *testing.B) {
	for b.Loop() {
		stop := make(chan int)
		var ready, all sync.WaitGroup
		ready.Add(10_000)
		for range 10_000 {
			all.Go(func() { ready.Done(); <-stop })
		}
		ready.Wait()
		close(stop)
		all.Wait()
	}
}

// resident is the memory that the process takes, in bytes; where the system doesn't say it, what
// the Go runtime does.
func resident() int {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kb << 10
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.Sys)
}

func BenchmarkHTTP(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	defer server.Close()
	client := server.Client()
	for b.Loop() {
		response, err := client.Get(server.URL)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}

// A tree is many small objects.
type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return new(tree)
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

// BenchmarkTrees allocates and forgets a binary tree of a thousand nodes: allocation and garbage
// collection.
func BenchmarkTrees(b *testing.B) {
	for b.Loop() {
		runtime.KeepAlive(grow(9))
	}
}

func BenchmarkTreesParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			runtime.KeepAlive(grow(9))
		}
	})
}

// BenchmarkCompute does nothing that could be watched.
func BenchmarkCompute(b *testing.B) {
	x := uint64(1)
	for b.Loop() {
		for range 1000 {
			x = x*6364136223846793005 + 1442695040888963407
		}
	}
	runtime.KeepAlive(x)
}

// BenchmarkHTTPParallel has several goroutines that share a client.
func BenchmarkHTTPParallel(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	defer server.Close()
	client := server.Client()
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			response, err := client.Get(server.URL)
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	})
}
