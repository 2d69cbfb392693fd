// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package io

import (
	"context"
	"encoding/binary"
	"net"
	"testing"
)

// packets returns two sockets for datagrams, each of which can send to the other.
func packets(t *testing.T, network string) (a, b net.PacketConn) {
	t.Helper()
	one := func() net.PacketConn {
		address := "127.0.0.1:0"
		if network == "unixgram" {
			address = t.TempDir() + "/socket"
		}
		c, err := net.ListenPacket(network, address)
		must(t, err)
		closeAtEnd(t, c)
		return c
	}
	return one(), one()
}

// TestNoRaceDatagrams has two goroutines call in turn, each when it has had a datagram of the
// other.
func TestNoRaceDatagrams(t *testing.T) {
	for _, network := range []string{"udp", "udp4", "unixgram"} {
		c := new(cache)
		a, b := packets(t, network)
		together(func() {
			for range 3 {
				c.get()
				_, err := a.WriteTo(oneByte, b.LocalAddr())
				must(t, err)
				_, _, err = a.ReadFrom(make([]byte, 1))
				must(t, err)
				c.set()
			}
		}, func() {
			for range 3 {
				_, from, err := b.ReadFrom(make([]byte, 1))
				must(t, err)
				c.get()
				c.set()
				_, err = b.WriteTo(oneByte, from)
				must(t, err)
			}
		})
	}
}

func TestNoRaceMessages(t *testing.T) {
	c := new(cache)
	a, b := packets(t, "udp")
	together(func() {
		c.get()
		_, _, err := a.(*net.UDPConn).WriteMsgUDP(oneByte, nil, b.LocalAddr().(*net.UDPAddr))
		must(t, err)
	}, func() {
		_, _, _, _, err := b.(*net.UDPConn).ReadMsgUDP(make([]byte, 1), nil)
		must(t, err)
		c.set()
	})
}

// TestNoRaceDNS asks a name server of this process.
func TestNoRaceDNS(t *testing.T) {
	c := new(cache)
	server, _ := packets(t, "udp")
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}
	resolver := net.Resolver{PreferGo: true, Dial: dial}
	ctx, cancel := context.WithCancel(context.Background())
	together(func() {
		defer cancel()
		c.get()
		_, _ = resolver.LookupNetIP(ctx, "ip4", "name.test.")
		c.set()
		must(t, server.Close())
	}, func() {
		query := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			c.get()
			// There is no such name.
			binary.BigEndian.PutUint16(query[2:], 0x8403)
			_, err = server.WriteTo(query[:n], from)
			must(t, err)
		}
	})
}
