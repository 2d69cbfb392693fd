// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build linux

package outside

import (
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// vfork makes a process that makes one system call. The thread waits until that is over, and can't
// be woken before: the system has it in the same state as one that waits for a disk.
//
//go:nosplit
func vfork(call, a, b, c uintptr) (pid uintptr, errno syscall.Errno) {
	pid, _, errno = syscall.Syscall6(syscall.SYS_CLONE,
		uintptr(syscall.CLONE_VFORK)|uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		syscall.RawSyscall(call, a, b, c)
		for {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	return pid, errno
}

// stuck has a thread wait so, beside another goroutine, which may count meanwhile.
func stuck(t *testing.T, meanwhile func(), call, a, b, c uintptr) {
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		n++
		mu.Unlock()
		meanwhile()
	})
	pid, errno := vfork(call, a, b, c)
	if errno != 0 {
		t.Skip(errno)
	}
	mu.Lock()
	had := n
	mu.Unlock()
	wg.Wait()
	var status syscall.WaitStatus
	syscall.Wait4(int(pid), &status, 0, nil)
	t.Logf("had %d", had)
	if os.Getenv("HAD") == "0" && had != 0 {
		t.Error("the other goroutine was not to count before")
	}
}

// TestStuck waits so for as long as a busy disk may take.
func TestStuck(t *testing.T) {
	d := syscall.NsecToTimespec(int64(100 * time.Millisecond))
	stuck(t, func() {}, syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&d)), 0, 0)
}

// TestStopped is stopped for longer than a second, while a goroutine makes no operation.
func TestStopped(t *testing.T) {
	cmd, in := child(t, "STOP", `read x; kill -STOP $PPID; sleep 1.2; kill -CONT $PPID`)
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		n++
		mu.Unlock()
	})
	in.Write([]byte("x\n"))
	for at, last := now(), int64(0); ; at = now() {
		if last != 0 && at-last > 1e9 {
			break
		}
		last = at
	}
	for at := now(); now()-at < 5e7; { // it may have to let others run
	}
	mu.Lock()
	had := n
	mu.Unlock()
	wg.Wait()
	in.Close()
	cmd.Wait()
	t.Logf("had %d", had)
	if os.Getenv("HAD") == "0" && had != 0 {
		t.Error("the other goroutine was not to count before")
	}
}

// now is the real time, in nanoseconds.
func now() int64 {
	var tv syscall.Timeval
	syscall.Gettimeofday(&tv)
	return tv.Nano()
}

// TestStuckForLong waits so for the other goroutine.
func TestStuckForLong(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var p [1]byte
	stuck(t, func() { w.Write(p[:]) }, syscall.SYS_READ, r.Fd(), uintptr(unsafe.Pointer(&p[0])), 1)
}
