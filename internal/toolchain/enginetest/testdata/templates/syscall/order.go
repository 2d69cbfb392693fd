// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package syscall

// The functions by which package syscall announces input and output. This engine doesn't follow it.

func CommuteRead(fd int) {}

func CommuteWrite(fd int) {}

func CommuteFailed(fd int, err error) {}

func CommuteClose(fd int) {}

func CommuteClosing(fd int) {}

func CommuteReplacing(fd int) func() { return func() {} }

func CommuteReceived(fd int, err error) {}

func CommuteSending(fd int, oob []byte) {}

func CommuteConnected(sa Sockaddr) {}

func CommuteGot(fd int, err error) {}

func CommuteGotTwo(p []int) {}

func CommuteControlled(command, result int, err error) {}

func CommuteTell() {}

func CommuteLearn() {}

func commuteForking(attr *ProcAttr) {}

func commuteOwn(p []int) {}

func commutePiped(p []int, err error) {}

func commutePaired(fd [2]int, err error) {}

func commuteListening(fd int) {}

func commuteRemoving(path string) {}

func commuteEnding(fd int) {}

func commuteConnecting(fd int, sa Sockaddr) uintptr { return 0 }

func commuteConnected(dial uintptr, fd int, sa Sockaddr, err error) {}

func commuteAccepted(fd int, sa Sockaddr, err error) {}
