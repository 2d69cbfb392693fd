// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Files: what package host promises of them, by the few system calls that the runtime has. The
// flags are numbers of the operating system.

import (
	"unsafe"
)

func commute_host_Write(fd uintptr, p []byte) bool {
	for len(p) > 0 {
		n := write(fd, unsafe.Pointer(unsafe.SliceData(p)), int32(len(p)))
		if n <= 0 {
			return false
		}
		p = p[n:]
	}
	return true
}

// commute_cstring copies a file name to where system calls can read it: with a zero at its end, and
// off the stack.
func commute_cstring(s string) *byte {
	p := unsafe.Slice((*byte)(commute_host_Alloc(uintptr(len(s)+1))), len(s)+1)
	copy(p, s)
	return &p[0]
}

// commute_host_Create opens a new or emptied file: O_CREAT and O_TRUNC.
func commute_host_Create(path string) (fd uintptr, ok bool) {
	return commute_open(commute_cstring(path), 0x40|0x200, 0x200|0x400)
}

// commute_open opens a file for writing. Its flags besides O_WRONLY are those of Linux, and those
// of Darwin and the BSDs.
func commute_open(path *byte, linux, bsd int32) (fd uintptr, ok bool) {
	var flags int32
	switch GOOS {
	case "linux", "android":
		flags = 0x1 | linux
	case "darwin", "ios", "freebsd", "netbsd", "openbsd", "dragonfly":
		flags = 0x1 | bsd
	default:
		return 0, false
	}
	n := open(path, flags, 0o644)
	return uintptr(n), n >= 0
}

// commute_host_Append opens a file that is there, to write at its end: O_APPEND.
func commute_host_Append(path string) (fd uintptr, ok bool) {
	return commute_open(commute_cstring(path), 0x400, 0x8)
}

func commute_host_Close(fd uintptr) { closefd(int32(fd)) }

// commute_rewindPath is the name of the file that is rewound, as a C string; there is only one.
// It's kept as a number, since a crash must not write pointers: that would need a write barrier.
var commute_rewindPath uintptr

// commute_host_Rewind opens the file anew, as Go's runtime can't seek. On Linux it's opened by its
// descriptor. So it is the same file even if it was moved, or the program is in another folder now.
func commute_host_Rewind(fd uintptr, path string) (again uintptr, ok bool) {
	if GOOS == "linux" || GOOS == "android" {
		var buf [len("/proc/self/fd/") + 21]byte
		at := len(buf) - 1
		for n := fd; n > 0 || at == len(buf)-1; n /= 10 {
			at--
			buf[at] = byte('0' + n%10)
		}
		at -= copy(buf[at-len("/proc/self/fd/"):], "/proc/self/fd/")
		again, ok = commute_open(&buf[at], 0, 0)
	}
	if !ok {
		if commute_rewindPath == 0 {
			commute_rewindPath = uintptr(unsafe.Pointer(commute_cstring(path)))
		}
		again, ok = commute_open((*byte)(unsafe.Pointer(commute_rewindPath)), 0, 0)
	}
	if ok {
		closefd(int32(fd))
	}
	return again, ok
}

// commute_host_ReadFile reads a whole file into memory that is never freed, twice as much each time
// that it is too little.
func commute_host_ReadFile(path string) (data []byte, ok bool) {
	switch GOOS {
	case "windows", "js", "wasip1":
		return nil, false
	}
	fd := open(commute_cstring(path), 0, 0)
	if fd < 0 {
		return nil, false
	}
	n, room := 0, 32<<10
	p := commute_host_Alloc(uintptr(room))
	for {
		if n == room {
			q := commute_host_Alloc(uintptr(2 * room))
			memmove(q, p, uintptr(n))
			p, room = q, 2*room
		}
		k := read(fd, add(p, uintptr(n)), int32(min(room-n, 1<<20)))
		if k <= 0 {
			ok = k == 0
			break
		}
		n += int(k)
	}
	closefd(fd)
	return unsafe.Slice((*byte)(p), n), ok
}
