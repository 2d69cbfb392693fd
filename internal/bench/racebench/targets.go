// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

// A target is a package whose benchmarks are run.
type target struct {
	name string
	// path@version of the package's module; empty: it is in the folder, or in the standard library
	module     string
	folder     string // a module of this repository
	pkg        string // as the go command takes it
	benchmarks []benchmark

	path, dir string // the package's import path and folder, once it is prepared
}

// A benchmark is one of a package, or some of its tests.
type benchmark struct {
	target *target
	label  string // the benchmark's name without Benchmark; what the tests are called
	// operations, or how often the tests are run; unwatched, mostly some tenths of a second
	times int
	tests string // -test.run, for tests
}

func (b benchmark) name() string { return b.target.name + "/" + b.label }

const (
	ristretto = "github.com/dgraph-io/ristretto/v2@v2.3.0"
	raft      = "github.com/hashicorp/raft@v1.7.3"
)

// raftTests have one node, or none. With several, the leader loses its lease where the machine is
// busy, and a test fails; so do tests with limits to their time.
const raftTests = "^(TestRaft_(StartStop|SingleNode|SnapshotRestore|NoRestoreOnStart|" +
	"AutoSnapshot|UserSnapshot|LogStoreIsMonotonic)|" +
	"TestNetworkTransport_(StartStop|AppendEntries|AppendEntriesPipeline|" +
	"EncodeDecode|InstallSnapshot|RequestVote)|" +
	"TestLogCache|TestFileSS_(CreateSnapshot|CancelSnapshot|Retention|Ordering)|" +
	"TestCommitment_.*|TestConfiguration_.*)$"

var targets = []target{
	{name: "json", pkg: "encoding/json", benchmarks: []benchmark{
		{label: "CodeEncoder", times: 50},
		{label: "CodeDecoder", times: 8},
		{label: "CodeUnmarshal", times: 8},
		{label: "DecoderStream", times: 500_000},
		{label: "UnmarshalMap", times: 100_000},
		{label: "MarshalMap", times: 200_000},
	}},
	{name: "sort", pkg: "sort", benchmarks: []benchmark{
		{label: "SortInt64K", times: 60},
		{label: "SortString1K", times: 2000},
		{label: "StableInt1K_Slice", times: 3000},
		{label: "SortStructs", times: 12},
		{label: "SearchWrappers", times: 5_000_000},
	}},
	{name: "flate", pkg: "compress/flate", benchmarks: []benchmark{
		{label: "Encode/Digits/Speed/1e5", times: 150},
		{label: "Encode/Newton/Default/1e5", times: 40},
		{label: "Decode/Newton/Default/1e5", times: 250},
	}},
	{name: "parser", pkg: "go/parser", benchmarks: []benchmark{
		{label: "Parse", times: 100},
		{label: "Resolve", times: 300},
	}},
	{name: "ristretto", module: ristretto, pkg: ".", benchmarks: []benchmark{
		{label: "StoreGet", times: 10_000_000},
		{label: "StoreSet", times: 2_000_000},
		{label: "StoreUpdate", times: 2_000_000},
		{label: "SketchIncrement", times: 30_000_000},
		{label: "tests", times: 20, tests: "^TestStressHitRatio$"},
	}},
	{name: "ristretto/z", module: ristretto, pkg: "./z", benchmarks: []benchmark{
		{label: "M_Add", times: 150},
		{label: "Write/map", times: 2_000_000},
		{label: "Write/btree", times: 1_000_000},
	}},
	{name: "raft", module: raft, pkg: ".", benchmarks: []benchmark{
		{label: "StoreLogInMem", times: 100},
		{label: "tests", times: 5, tests: raftTests},
	}},
	{name: "heap", folder: "testdata/speed", pkg: ".", benchmarks: []benchmark{
		{label: "HeapStructs", times: 1},
		{label: "HeapStructsShared", times: 1},
		{label: "HeapInts", times: 1},
		{label: "HeapBytes", times: 1},
		{label: "HeapBlocks", times: 1},
		{label: "HeapMaps", times: 1},
	}},
}
