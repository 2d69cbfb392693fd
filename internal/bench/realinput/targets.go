// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

// A target is one module, or some of the standard library's packages, whose own tests are run.
type target struct {
	name   string
	module string // path@version; empty for the standard library
	// packages are patterns, below the module's folder; none: all packages of the module.
	packages []string
	every    int    // take every n-th package that has tests, by import path; 0: all
	short    bool   // -test.short
	skip     string // -test.skip
	because  string // why a part is left out
	atomic   []mark // what build atomic marks; other packages are left out of it
}

// A mark names the functions that are marked as atomic in the tests of one package.
type mark struct {
	pkg      string // path, below the module's
	patterns []string
}

// shortTests is a module of which the long tests are left out: they have not been tried.
func shortTests(name, module string, packages ...string) target {
	return target{name: name, module: module, packages: packages, short: true,
		because: "it has been tried with -short only"}
}

var targets = []target{
	{name: "go-cache", module: "github.com/patrickmn/go-cache@v2.1.0+incompatible"},
	{name: "golang-lru", module: "github.com/hashicorp/golang-lru/v2@v2.0.7", atomic: []mark{
		{"", []string{"lru.(*Cache[...]).*", "lru.(*TwoQueueCache[...]).*"}},
		{"/simplelru", []string{"simplelru.(*LRU[...]).*"}},
		{"/expirable", []string{"expirable.(*LRU[...]).*"}},
	}},
	{name: "ristretto", module: "github.com/dgraph-io/ristretto/v2@v2.3.0", atomic: []mark{
		{"", []string{
			"ristretto.(*lockedMap[...]).*", "ristretto.(*expirationMap[...]).*",
			"ristretto.(*defaultPolicy[...]).Add",
			"ristretto.(*defaultPolicy[...]).Del", "ristretto.(*defaultPolicy[...]).Update",
			"ristretto.(*defaultPolicy[...]).Has",
		}},
	}},
	{name: "websocket", module: "github.com/gorilla/websocket@v1.5.3"},
	{name: "raft", module: "github.com/hashicorp/raft@v1.7.3", atomic: []mark{
		{"", []string{
			"raft.(*raftState).*Log", "raft.(*raftState).*Snapshot",
			"raft.(*raftState).getLastEntry", "raft.(*LogCache).*", "raft.(*InmemStore).*",
			"raft.(*commitment).*", "raft.(*InmemSnapshotStore).*",
			"raft.(*followerReplication).*LastContact",
			"raft.(*followerReplication).cleanNotify", "raft.(*Raft).RegisterObserver",
		}},
	}},
	{name: "bbolt", module: "go.etcd.io/bbolt@v1.4.3", short: true,
		because: "the long tests take half an hour", atomic: []mark{
			{"", []string{
				"bbolt.(*DB).beginTx", "bbolt.(*DB).beginRWTx", "bbolt.(*DB).removeTx",
				"bbolt.(*DB).Stats", "bbolt.(*DB).freepages",
				"bbolt.(*DB).allocate",
			}},
		}},
	{name: "grpc", module: "google.golang.org/grpc@v1.75.0", every: 3,
		because: "all of its packages take too long", atomic: []mark{
			{"/internal/transport", []string{"transport.(*controlBuffer).put",
				"transport.(*controlBuffer).executeAndPut", "transport.(*recvBuffer).put",
				"transport.(*writeQuota).realReplenish", "transport.(*bdpEstimator).*",
				"transport.(*trInFlow).*", "transport.(*inFlow).*"}},
			{"/internal/buffer", []string{"buffer.(*Unbounded).*"}},
			{"/internal/cache", []string{"cache.(*TimeoutCache).*"}},
			{"/internal/grpcsync", []string{"grpcsync.(*PubSub).*"}},
			{"/internal/wrr", []string{"wrr.(*edfWrr).*", "wrr.(*randomWRR).*"}},
		}},
	// These keep what they share in maps and fields, under locks, or in atomics.
	shortTests("bigcache", "github.com/allegro/bigcache/v3@v3.1.0", "."),
	shortTests("concurrent-map", "github.com/orcaman/concurrent-map/v2@v2.0.1"),
	shortTests("freecache", "github.com/coocood/freecache@v1.2.7", "."),
	shortTests("go-memdb", "github.com/hashicorp/go-memdb@v1.3.5"),
	shortTests("gobreaker", "github.com/sony/gobreaker/v2@v2.4.0", "."),
	shortTests("pond", "github.com/alitto/pond/v2@v2.7.1"),
	shortTests("tally", "github.com/uber-go/tally/v4@v4.1.17", "."),
	shortTests("ttlcache", "github.com/jellydator/ttlcache/v3@v3.4.1", "."),
	shortTests("viper", "github.com/spf13/viper@v1.21.0", "."),
	shortTests("metrics", "github.com/VictoriaMetrics/metrics@v1.44.0", "."),
	shortTests("workerpool", "github.com/gammazero/workerpool@v1.3.0"),
	shortTests("yamux", "github.com/hashicorp/yamux@v0.1.2"),
	shortTests("zap", "go.uber.org/zap@v1.28.0", ".", "./zapcore"),
	shortTests("sctp", "github.com/pion/sctp@v1.12.1", "."),
	shortTests("quic-go", "github.com/quic-go/quic-go@v0.65.0", "."),
	shortTests("fasthttp", "github.com/valyala/fasthttp@v1.78.0", "."),
	{name: "sync", packages: []string{"sync"}},
	{name: "context", packages: []string{"context"}},
	{name: "time", packages: []string{"time"}},
	{name: "net-http", packages: []string{"net/http"}, short: true,
		because: "the long tests want the network"},
	{name: "os-exec", packages: []string{"os/exec"}},
	{
		name: "io", packages: []string{"net", "net/rpc", "net/http/httptest", "os", "internal/poll",
			"syscall", "log", "log/slog", "crypto/tls"},
		short: true, because: "the long tests want the network",
	},
	{name: "database-sql", packages: []string{"database/sql"}},
	{
		name: "testing", packages: []string{"testing"}, skip: "Race",
		because: "its tests of races have data races, which aren't looked for",
	},
}
