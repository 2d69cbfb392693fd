// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"fmt"
	"strings"
)

// String writes settings as the variable has them.
func String(list []Setting) string {
	var words []string
	for _, s := range list {
		words = append(words, s.Name+"="+Escape(s.Value))
	}
	return strings.Join(words, " ")
}

// Escape writes a value so that it has no space, and that Unescape makes the same of it.
func Escape(value string) string {
	var b strings.Builder
	for i := range len(value) {
		if c := value[i]; c <= ' ' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Unescape replaces a percent sign with two hexadecimal digits after it by the byte that they stand
// for.
func Unescape(value string) string {
	if !strings.Contains(value, "%") {
		return value
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '%' && i+2 < len(value) && digit(value[i+1]) >= 0 && digit(value[i+2]) >= 0 {
			b.WriteByte(byte(digit(value[i+1])<<4 | digit(value[i+2])))
			i += 2
			continue
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// digit is the value of a hexadecimal digit, -1 if c is none.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
