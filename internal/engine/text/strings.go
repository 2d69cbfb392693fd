// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// Unescape replaces a percent sign with two hexadecimal digits after it by the byte that they stand
// for.
func Unescape(s string) string {
	if !Contains(s, "%") {
		return s
	}
	b := unsafe.Slice((*byte)(host.Alloc(uintptr(len(s)))), len(s))
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0 {
			c = byte(hexDigit(s[i+1])<<4 | hexDigit(s[i+2]))
			i += 2
		}
		b[n] = c
		n++
	}
	return View(b[:n])
}

// hexDigit is the value of a hexadecimal digit, -1 if c is none.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// Number is the value of a string of decimal digits, 1<<24 at most.
func Number(s string) (n int, ok bool) {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		if n = 10*n + int(s[i]-'0'); n > 1<<24 {
			return 0, false
		}
	}
	return n, s != ""
}

// Cut returns the text before and after the first sep; all of s and nothing if there is none.
func Cut(s string, sep byte) (before, after string) {
	for i := 0; i < len(s); i++ {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// HasPrefix reports whether s begins with prefix.
func HasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && s[:len(prefix)] == prefix
}

// Contains reports whether part is in s.
func Contains(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if s[i:i+len(part)] == part {
			return true
		}
	}
	return false
}

// Unhex is the value of a hexadecimal digit in lower case.
func Unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// Base is the last element of a file's name.
func Base(file string) string {
	for i := len(file) - 1; i >= 0; i-- {
		if file[i] == '/' || file[i] == '\\' {
			return file[i+1:]
		}
	}
	return file
}

// Plural is the word for n of something.
func Plural(n uint64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Pick is a if first is set, b if not.
func Pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// View is b as a string, without copying.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
