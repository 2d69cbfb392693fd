// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

// A module has a package whose tests are run.
type module struct {
	name   string
	module string // path@version
	pkg    string // its folder in the module
	tests  string // -test.run
}

// raftTests need no network, and have no limits to their time that a busy machine exceeds.
const raftTests = "^Test(LogCache|RaftState|Inmem|Commitment|Configuration|NextConfiguration|" +
	"Observ|Future|DeferFuture|ProgressOrLater|Min|Max|Backoff|OverrideNotifyBool|RandomTimeout|" +
	"EncodePeers|OldestLog|LogType)"

var modules = []module{
	{"golang-lru", "github.com/hashicorp/golang-lru/v2@v2.0.7", ".", "."},
	{"golang-lru, expirable", "github.com/hashicorp/golang-lru/v2@v2.0.7", "expirable", "."},
	{"x/sync, errgroup", "golang.org/x/sync@v0.24.0", "errgroup", "."},
	{"x/sync, semaphore", "golang.org/x/sync@v0.24.0", "semaphore", "."},
	{"x/sync, singleflight", "golang.org/x/sync@v0.24.0", "singleflight", "."},
	{"cron", "github.com/robfig/cron/v3@v3.0.1", ".", "."},
	{"conc", "github.com/sourcegraph/conc@v0.3.0", ".", "."},
	{"conc, pool", "github.com/sourcegraph/conc@v0.3.0", "pool", "."},
	{"conc, stream", "github.com/sourcegraph/conc@v0.3.0", "stream", "."},
	{"pond", "github.com/alitto/pond/v2@v2.7.1", ".", "."},
	{"raft, in memory", "github.com/hashicorp/raft@v1.7.3", ".", raftTests},
	{"ristretto", "github.com/dgraph-io/ristretto/v2@v2.3.0", ".", "."},
	{"suture", "github.com/thejerf/suture/v4@v4.0.6", ".", "."},
	{"go-cache", "github.com/patrickmn/go-cache@v2.1.0+incompatible", ".", "."},
}
