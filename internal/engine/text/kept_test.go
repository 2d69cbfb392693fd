// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"strings"
	"testing"
	"unsafe"
)

func TestKept(t *testing.T) {
	type named string
	x := 5
	for _, test := range []struct {
		value any
		want  string
	}{
		{"a\n\"b\"", `"a\n\"b\""`},
		{"", `""`},
		{strings.Repeat("x", 41), `"` + strings.Repeat("x", 40) + `"...`},
		{named("n"), `"n"`},
		{-7, "-7"},
		{uint8(200), "200"},
		{int64(-1) << 40, "-1099511627776"},
		{true, "true"},
		{1.5, "1.500"},
		{float32(0.25), "0.250"},
		{uintptr(16), "0x10"},
		{struct{ a int }{1}, ""},
		{[]int{1}, ""},
	} {
		words := (*[2]unsafe.Pointer)(unsafe.Pointer(&test.value))
		var k Kept
		k.Keep(words[0], words[1])
		b := new(Buffer)
		if k.Known() {
			k.Print(b)
		}
		if got := b.String(); got != test.want {
			t.Errorf("%v is kept as %s, want %s", test.value, got, test.want)
		}
	}
	p := &x
	var v any = p
	var k Kept
	k.Keep((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0], unsafe.Pointer(&p))
	b := new(Buffer)
	if k.Print(b); !strings.HasPrefix(b.String(), "0x") {
		t.Errorf("a pointer is kept as %s", b.String())
	}
	p = nil
	k.Keep((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0], unsafe.Pointer(&p))
	b.Reset()
	if k.Print(b); b.String() != "nil" {
		t.Errorf("nil is kept as %s", b.String())
	}
	if k.Keep(nil, nil); k.Known() {
		t.Error("something is kept of nothing")
	}
}
