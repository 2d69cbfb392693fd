// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && (darwin || dragonfly || freebsd || netbsd || openbsd)

package syscall

// commuteSpecial names nothing: here pipes, sockets within the machine and devices have no inodes
// that could be relied on.
func commuteSpecial(fd int, st *Stat_t, n *commuteName) {}

func commutePaired(fd [2]int, err error) {
	CommuteGot(fd[0], err)
	CommuteGot(fd[1], err)
}

func commuteLocalDial(fd int, n *commuteName) bool  { return false }
func commuteLocalPeer(fd int, n, peer *commuteName) {}
