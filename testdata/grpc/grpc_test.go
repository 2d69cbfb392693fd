// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package grpc

import (
	"context"
	"net"
	"runtime"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A flag forces an interleaving without an edge: no detector sees its accesses.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

func (f *flag) await() {
	for !f.raised() {
		runtime.Gosched()
	}
}

// A cache is checked first, and then acted on.
type cache struct{ m sync.Map }

func (c *cache) get(key string) {
	if _, ok := c.m.Load(key); !ok {
		c.m.Store(key, new(int))
	}
}

type text = wrapperspb.StringValue

// A greeter is the service, and what a generated package says of it.
type greeter interface {
	SayHello(context.Context, *text) (*text, error)
}

var service = grpc.ServiceDesc{
	ServiceName: "Greeter",
	HandlerType: (*greeter)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "SayHello",
		Handler: func(s any, ctx context.Context, decode func(any) error,
			_ grpc.UnaryServerInterceptor) (any, error) {
			in := new(text)
			if err := decode(in); err != nil {
				return nil, err
			}
			return s.(greeter).SayHello(ctx, in)
		},
	}},
}

// A server has a cache. If done is set, it is called before each response.
type server struct {
	cache cache
	done  func(name string)
}

func (s *server) SayHello(_ context.Context, in *text) (*text, error) {
	s.cache.get("key")
	if s.done != nil {
		s.done(in.Value)
	}
	return wrapperspb.String("Hello " + in.Value), nil
}

// serve returns a server's address.
func serve(t *testing.T, s *server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	g.RegisterService(&service, s)
	done := make(chan bool)
	go func() {
		defer close(done)
		_ = g.Serve(l)
	}()
	t.Cleanup(func() { g.Stop(); <-done })
	return l.Addr().String()
}

// dial returns a client that is not connected yet.
func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	c, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func greet(t *testing.T, c *grpc.ClientConn, name string) {
	t.Helper()
	err := c.Invoke(context.Background(), "/Greeter/SayHello", wrapperspb.String(name), new(text))
	if err != nil {
		t.Error(err)
	}
}

// clients have two clients of a server, each with functions for its calls.
func clients(t *testing.T, each func(a, b func())) {
	address := serve(t, new(server))
	a, b := dial(t, address), dial(t, address)
	each(func() { greet(t, a, "a") }, func() { greet(t, b, "b") })
}

func together(functions ...func()) {
	var all sync.WaitGroup
	for _, f := range functions {
		all.Go(f)
	}
	all.Wait()
}

func TestRaceGRPC(t *testing.T) {
	clients(t, func(a, b func()) { together(a, b) })
}

// TestRaceGRPCInTurn has the second client start when the first is done. Nothing orders the two.
func TestRaceGRPCInTurn(t *testing.T) {
	clients(t, func(a, b func()) {
		var done flag
		together(func() {
			defer done.raise()
			a()
		}, func() {
			done.await()
			b()
		})
	})
}

// TestRaceGRPCOneConnection has two calls at once on one connection, each of which has a goroutine
// of its own. Neither response is made before the server has both requests: the server would read
// the second one after it has noted the end of the first.
func TestRaceGRPCOneConnection(t *testing.T) {
	var a, b flag
	c := dial(t, serve(t, &server{done: func(name string) {
		mine, other := &a, &b
		if name == "b" {
			mine, other = other, mine
		}
		mine.raise()
		other.await()
	}}))
	together(func() { greet(t, c, "a") }, func() { greet(t, c, "b") })
}

// TestNoRaceGRPCAfter has the second client start when the first has its response.
func TestNoRaceGRPCAfter(t *testing.T) {
	clients(t, func(a, b func()) {
		done := make(chan bool)
		together(func() { a(); close(done) }, func() { <-done; b() })
	})
}

// TestNoRaceGRPCClient calls before a request, in the handler and after the response.
func TestNoRaceGRPCClient(t *testing.T) {
	s := new(server)
	c := dial(t, serve(t, s))
	for range 3 {
		s.cache.m.Delete("key")
		s.cache.get("key")
		greet(t, c, "name")
		s.cache.m.Store("key", 1)
	}
}

// TestNoRaceGRPCStopped calls when the server has stopped.
func TestNoRaceGRPCStopped(t *testing.T) {
	s := new(server)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	g.RegisterService(&service, s)
	together(func() { _ = g.Serve(l) }, func() {
		c := dial(t, l.Addr().String())
		greet(t, c, "name")
		g.GracefulStop()
		s.cache.m.Store("key", 1)
	})
	s.cache.m.Store("key", 2)
}
