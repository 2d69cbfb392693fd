// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

// A Kind says what a name is made of.
type Kind uint32

const (
	_        Kind = iota
	Stream        // of a connection of TCP: the end's own address, and that of the other end
	Reader        // of a pipe's end for reading: its device and inode
	Writer        // of a pipe's end for writing: likewise
	Local         // of a socket within the machine: likewise
	File          // of a file, whose ends are one: likewise
	Constant      // of a device that gives back nothing that was written; it needs no name
	Dialer        // of a socket of TCP that is going to be connected: its own address
)

// An Address is that of a socket. The IPv4 address a.b.c.d is ::ffff:a.b.c.d.
type Address struct {
	High, Low  uint64 // the IP address
	Port, Zone uint32
}

// A Name is that of an end.
type Name struct {
	Kind       Kind
	Own, Other Address
}

// Inode is the name that an inode gives.
func Inode(k Kind, device, inode uint64) Name {
	return Name{Kind: k, Own: Address{High: device, Low: inode}}
}

// reversed is the name of the other end of a connection of TCP.
func (n *Name) reversed() Name { return Name{Kind: Stream, Own: n.Other, Other: n.Own} }

// tells reports whether a name alone says which channel it is of. Of other names it must be known
// how their ends came to be.
func (n *Name) tells() bool { return n.Kind == File || n.Kind == Stream && n.Own != n.Other }

// hash mixes what differs most among names: inodes and ports.
func (n *Name) hash() uint64 {
	h := uint64(n.Kind)
	for _, x := range [...]uint64{n.Own.Low, n.Other.Low, uint64(n.Own.Port)<<32 |
		uint64(n.Other.Port)} {
		h = (h ^ x) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}
