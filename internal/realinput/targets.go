// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

// A target is one module, or some of the standard library's packages, whose own tests are run.
type target struct {
	name    string
	module  string   // path@version; empty for the standard library
	std     []string // packages of the standard library
	every   int      // take every n-th package that has tests, by import path; 0: all
	short   bool     // -test.short
	skip    string   // -test.skip
	because string   // why a part is left out
}

var targets = []target{
	{name: "go-cache", module: "github.com/patrickmn/go-cache@v2.1.0+incompatible"},
	{name: "golang-lru", module: "github.com/hashicorp/golang-lru/v2@v2.0.7"},
	{name: "ristretto", module: "github.com/dgraph-io/ristretto/v2@v2.3.0"},
	{name: "websocket", module: "github.com/gorilla/websocket@v1.5.3"},
	{name: "raft", module: "github.com/hashicorp/raft@v1.7.3"},
	{name: "bbolt", module: "go.etcd.io/bbolt@v1.4.3", short: true, because: "the long tests take half an hour"},
	{name: "grpc", module: "google.golang.org/grpc@v1.75.0", every: 3, because: "all of its packages take too long"},
	{name: "sync", std: []string{"sync"}},
	{name: "context", std: []string{"context"}},
	{name: "time", std: []string{"time"}},
	{name: "net-http", std: []string{"net/http"}, short: true, because: "the long tests want the network"},
	{name: "os-exec", std: []string{"os/exec"}},
	{name: "database-sql", std: []string{"database/sql"}},
	{
		name: "testing", std: []string{"testing"}, skip: "Race",
		because: "its tests of races have data races, which aren't looked for",
	},
}
