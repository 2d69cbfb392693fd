// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package io

import (
	"net/rpc"
	"testing"
)

// A Service is called by package net/rpc.
type Service struct {
	cache cache
	begin func()
}

// Get is its method.
func (s *Service) Get(_ int, reply *int) error {
	if s.begin != nil {
		s.begin()
	}
	s.cache.get()
	*reply = 1
	return nil
}

func serve(t *testing.T, s *Service, network string) (dial func() *rpc.Client) {
	t.Helper()
	server := rpc.NewServer()
	must(t, server.Register(s))
	l := listen(t, network)
	go server.Accept(l)
	return func() *rpc.Client {
		c, err := rpc.Dial(network, l.Addr().String())
		must(t, err)
		return c
	}
}

func call(t *testing.T, c *rpc.Client) {
	t.Helper()
	var reply int
	must(t, c.Call("Service.Get", 0, &reply))
}

func TestRaceRPC(t *testing.T)       { rpcClients(t, "tcp", atOnce) }
func TestRaceRPCInTurn(t *testing.T) { rpcClients(t, "tcp", inTurn) }
func TestRaceRPCUnix(t *testing.T)   { rpcClients(t, "unix", inTurn) }

// TestNoRaceRPCAfter has the second client start when the first has its reply.
func TestNoRaceRPCAfter(t *testing.T) {
	rpcClients(t, "tcp", func(a, b func()) {
		done := make(chan bool)
		together(func() { a(); close(done) }, func() { <-done; b() })
	})
}

func rpcClients(t *testing.T, network string, each func(a, b func())) {
	dial := serve(t, new(Service), network)
	one := func() {
		c := dial()
		call(t, c)
		must(t, c.Close())
	}
	each(one, one)
}

// TestRaceRPCOneConnection has two calls under way at once on one connection.
func TestRaceRPCOneConnection(t *testing.T) {
	var first, second flag
	s := &Service{begin: func() {
		if !first.raised() {
			first.raise()
			second.await()
		} else {
			second.raise()
		}
	}}
	c := serve(t, s, "tcp")()
	together(func() { call(t, c) }, func() { first.await(); call(t, c) })
	must(t, c.Close())
}
