// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

import "testing"

func dialer(port uint32) *Name { return &Name{Kind: Dialer, Own: Address{Low: 1, Port: port}} }

// TestAccepted has connections of TCP that are accepted before and after the dial has its name.
func TestAccepted(t *testing.T) {
	table := new(Table)
	first, second := table.Dialing(), table.Dialing()
	if first == second || first.written(0) == second.written(0) {
		t.Fatal("two dials have one address")
	}
	if o, dial := table.Accepted(new(Name), dialer(1)); o.All || o.Addr != table.Pending() ||
		dial != nil {
		t.Errorf("a dial without a name: order %+v", o)
	}
	if table.Dialed(first, dialer(1)) != nil {
		t.Error("a dial is forgotten")
	}
	if o, dial := table.Accepted(new(Name), dialer(1)); o.All || o.Addr != table.Pending() ||
		dial != first {
		t.Errorf("a name that the other dial may get, too: order %+v", o)
	}
	Drop(first)
	if o, _ := table.Accepted(new(Name), dialer(1)); o.Addr != table.Pending() {
		t.Errorf("one dial is accepted twice: order %+v", o)
	}
	if table.Dialed(second, new(Name)) != second {
		t.Error("a dial that has got no name is kept")
	}
	Drop(second)
	third := table.Dialing()
	table.Dialed(third, dialer(3))
	if o, dial := table.Accepted(new(Name), dialer(3)); o.All || o.Addr != third.written(0) ||
		dial != third {
		t.Errorf("a dial with a name: order %+v", o)
	}
	Drop(third)
	if o, _ := table.Accepted(new(Name), dialer(2)); o != (Order{}) {
		t.Errorf("another process's dial: order %+v", o)
	}
	table.Child()
	if o, _ := table.Accepted(new(Name), dialer(2)); !o.All {
		t.Errorf("a dial that may be a child's: order %+v", o)
	}
}

// TestAcceptedLocally has connections within the machine, whose names are known before.
func TestAcceptedLocally(t *testing.T) {
	table := new(Table)
	client, server := Inode(Local, 1, 1), Inode(Local, 1, 2)
	c, _ := table.Connecting(&client)
	if o, dial := table.Accepted(&server, &client); o.All || o.Addr != c.written(0) || dial != nil {
		t.Errorf("order %+v", o)
	}
	if at := table.find(&server); at == nil || at.channel.P() != c || at.side != 1 {
		t.Error("who accepts is not the other end")
	}
	other := Inode(Local, 1, 3)
	if o, _ := table.Accepted(&other, &client); !o.All {
		t.Errorf("a second one accepts: order %+v", o)
	}
	if o, _ := table.Accepted(new(Name), new(Name)); !o.All {
		t.Errorf("the kernel doesn't tell: order %+v", o)
	}
}

// TestReached connects to where the process listens, and elsewhere.
func TestReached(t *testing.T) {
	table := new(Table)
	for _, place := range []int{0, 80, 1<<16 - 1, 1 << 16, maxPlaces - 1} {
		if o := table.Reached(place); !o.All {
			t.Errorf("%d: nobody has listened: order %+v", place, o)
		}
		if addr := table.Removing(place); addr != 0 {
			t.Errorf("%d: nobody has listened: a removed file is released at %#x", place, addr)
		}
		addr := table.Listening(place)
		if removed := table.Removing(place); removed != addr {
			t.Errorf("%d: a removed file is released at %#x, want %#x", place, removed, addr)
		}
		if o := table.Reached(place); o.All || o.Addr != addr {
			t.Errorf("%d: order %+v", place, o)
		}
	}
	for _, place := range []int{-1, 81, maxPlaces} {
		table.Listening(-1)
		if o := table.Reached(place); !o.All {
			t.Errorf("%d: order %+v", place, o)
		}
	}
}

// TestReplaced has a descriptor that becomes that of another channel.
func TestReplaced(t *testing.T) {
	table := new(Table)
	if !table.Foreign(3) {
		t.Error("a descriptor of which nothing is known is not foreign")
	}
	table.Open(3)
	file, other := Inode(File, 1, 1), Inode(File, 1, 2)
	table.Identify(3, &file)
	if table.Foreign(3) || table.Write(3).Ask {
		t.Error("a known descriptor is foreign")
	}
	table.Open(3)
	if !table.Write(3).Ask {
		t.Error("what a descriptor was is still believed")
	}
	if c, _, _ := table.Identify(3, &other); table.Write(3).Addr != c.written(0) {
		t.Error("the descriptor is not that of the other channel")
	}
}
