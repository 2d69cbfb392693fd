// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// reportOf is the report of a race of two calls, made at the places of the fixture.
func reportOf(t *testing.T, a, b *commrace.Call) (got string, effect string) {
	t.Helper()
	put, get, origin := fixture.AppMain()
	first := &logger{stack: put, origin: origin, goid: 7, creator: 1}
	second := &logger{stack: get, goid: 1}
	ok := makeRace(t, first, second, a, b, func(r *report.Race) {
		f := describe(r, "kv.(*Map).")
		b := text.Buffers.Get()
		b.Reset()
		r.Print(b, &f, "kv.(*Map).")
		got = strings.Clone(b.String())
		text.Buffers.Put(b)
		effect = f.Effect
	})
	if !ok {
		t.Fatal("no race")
	}
	return got, effect
}

func TestReport(t *testing.T) {
	restore(t)
	fixture.Register(fixture.CacheCall("cache.go", 12, "Swap"))
	option.Current.Strip = "/home/user/"
	got, _ := reportOf(t, fixture.CallOf(fixture.Swap, "host", 2, nil, false),
		fixture.CallOf(fixture.Load, "host", 2, true))
	capture.Golden(t, "report.txt", got)
}

// TestReportWithoutStack has calls of which nothing but the call is known.
func TestReportWithoutStack(t *testing.T) {
	restore(t)
	k, l := &logger{goid: 3}, &logger{goid: 3}
	makeRace(t, k, l, fixture.CallOf(fixture.Store, 1, 2), fixture.CallOf(fixture.Size, 4),
		func(r *report.Race) {
			f := describe(r, "kv.(*Map).")
			b := text.Buffers.Get()
			b.Reset()
			r.Print(b, &f, "kv.(*Map).")
			capture.Golden(t, "nostack.txt", b.String())
			text.Buffers.Put(b)
		})
}

func TestEffects(t *testing.T) {
	restore(t)
	for _, test := range []struct {
		a, b   *commrace.Call
		effect string
		says   string
	}{
		{fixture.CallOf(fixture.Store, 1, 2), fixture.CallOf(fixture.Store, 1, 3), term.LostUpdate,
			"what stays depends on which Store runs last"},
		{fixture.CallOf(fixture.Store, 1, 2), fixture.CallOf(fixture.Claim, 1, true),
			term.StaleCheck, "Claim decides by what Store changes"},
		{fixture.CallOf(fixture.Claim, 1, true), fixture.CallOf(fixture.Store, 1, 2),
			term.StaleCheck, "Claim decides by what Store changes"},
		{fixture.CallOf(fixture.Store, 1, 2), fixture.CallOf(fixture.Load, 1, 2, true),
			term.StaleRead, "Load sees the value from before or after Store"},
		{fixture.CallOf(fixture.Load, 1, 2, true), fixture.CallOf(fixture.Store, 1, 2),
			term.StaleRead, "Load sees the value from before or after Store"},
		{fixture.CallOf(fixture.Store, 1, 2), fixture.CallOf(fixture.Size, 4), term.OrderDependent,
			"Len may or may not see what Store changes"},
		{fixture.CallOf(fixture.Size, 4), fixture.CallOf(fixture.Store, 1, 2), term.OrderDependent,
			"Len may or may not see what Store changes"},
		{fixture.CallOf(fixture.Claim, 1, true), fixture.CallOf(fixture.Claim, 1, false),
			term.Arbitration, "one of the calls wins"},
	} {
		got, effect := reportOf(t, test.a, test.b)
		if effect != test.effect || !strings.Contains(got, test.says) {
			t.Errorf("methods %d and %d: %s, want %s that says %q in\n%s", test.a.Method,
				test.b.Method, effect, test.effect, test.says, got)
		}
	}
}

// printed is a value in a report, kept as calls keep their arguments.
func printed(t *testing.T, v any) string {
	t.Helper()
	got := ""
	ok := makeRace(t, &logger{}, &logger{}, fixture.CallOf(fixture.Store, 1, v),
		fixture.CallOf(fixture.Load, 1), func(r *report.Race) {
			b := text.Buffers.Get()
			b.Reset()
			text.Value(b, &r.First.Args()[1])
			got = strings.Clone(b.String())
			text.Buffers.Put(b)
		})
	if !ok {
		t.Fatal("no race")
	}
	return got
}

func TestValues(t *testing.T) {
	type (
		named  int
		text   string
		flag   bool
		point  struct{ x, y int }
		number float64
		deep   struct {
			s string
			p point
			a [2]int8
		}
	)
	letters := strings.Repeat("abcdefghijklmnopqrstuvwxyz", 40)
	for _, test := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{true, "true"},
		{false, "false"},
		{flag(true), "finding.flag(true)"},
		{0, "0"},
		{-5, "-5"},
		{math.MaxInt64, "9223372036854775807"},
		{int64(math.MinInt64), "int64(-9223372036854775808)"},
		{int8(-128), "int8(-128)"},
		{int16(-300), "int16(-300)"},
		{int32(-70000), "int32(-70000)"},
		{uint(7), "uint(7)"},
		{uint8(255), "uint8(255)"},
		{uint16(65535), "uint16(65535)"},
		{uint32(math.MaxUint32), "uint32(4294967295)"},
		{uint64(math.MaxUint64), "uint64(18446744073709551615)"},
		{uintptr(0x1f), "uintptr(0x1f)"},
		{uintptr(0), "uintptr(0x0)"},
		{named(3), "finding.named(3)"},
		{0.0, "0"},
		{1.5, "1.500"},
		{-2.25, "-2.250"},
		{1.0625, "1.062"},
		{3.0, "3"},
		{float32(0.5), "float32(0.500)"},
		{number(2), "finding.number(2)"},
		{math.NaN(), "NaN"},
		{math.Inf(1), "..."},
		{math.Inf(-1), "..."},
		{1e300, "..."},
		{1e15, "1000000000000000"},
		{complex(1, 2), "complex128(...)"},
		{complex64(1), "complex64(...)"},
		{"", `""`},
		{"plain", `"plain"`},
		{text("t"), `finding.text("t")`},
		{`a"b\c`, `"a\"b\\c"`},
		{"a\nb\tc\x00\x7f", `"a\nb\x09c\x00\x7f"`},
		{"äß", `"äß"`},
		{"12345678901234567890", `"12345678901234567890"`},
		{"123456789012345678901", `"123456789012345678901"`},
		{letters[:64], `"` + letters[:64] + `"`},
		{letters[:65], `"` + letters[:40] + `"..."` + letters[41:65] + `" (65 bytes)`},
		{letters[:1005], `"` + letters[:40] + `"..."` + letters[981:1005] + `" (1,005 bytes)`},
		{strings.Repeat("k", 2_000_000), `"` + strings.Repeat("k", 40) + `"..."` +
			strings.Repeat("k", 24) + `" (2,000,000 bytes)`},
		{strings.Repeat("\n", 30), `"` + strings.Repeat(`\n`, 30) + `"`},
		{point{1, 2}, "finding.point{1, 2}"},
		{struct{}{}, "struct {}{}"},
		{[2]int{}, "[2]int{0, 0}"},
		{[3]bool{1: true}, "[3]bool{false, true, false}"},
		{deep{"k\"", point{1, -2}, [2]int8{3, 4}}, `finding.deep{"k\"", {1, -2}, {3, 4}}`},
		{deep{letters[:30], point{1e9, -1e9}, [2]int8{3, 4}}, `finding.deep{"` + letters[:30] +
			`", {1000000000, -1000000000}, {3...`},
		{struct{ p *int }{}, "struct { p *int }{0x0}"},
		{struct{ s []int }{}, "struct { s []int }{...}"},
		{struct{ f float64 }{0.5}, "struct { f float64 }{0.500}"},
		{-0.0001, "0"},
		{strings.Repeat("a", 38) + "€" + letters[:30], `"` + strings.Repeat("a", 38) + `"..."` +
			letters[6:30] + `" (71 bytes)`},
		{strings.Repeat("a", 37) + "€" + letters[:30], `"` + strings.Repeat("a", 37) + `€"..."` +
			letters[6:30] + `" (70 bytes)`},
		{strings.Repeat("a", 37) + "😀" + letters[:30], `"` + strings.Repeat("a", 37) + `"..."` +
			letters[6:30] + `" (71 bytes)`},
		{letters[:42] + "😀" + letters[:22], `"` + letters[:40] + `"..."` + letters[:22] +
			`" (68 bytes)`},
		{letters[:43] + "😀" + letters[:20], `"` + letters[:40] + `"..."😀` + letters[:20] +
			`" (67 bytes)`},
		{[]int{1}, "[]int(...)"},
		{(*int)(nil), "(*int)(0x0)"},
		{(map[string]int)(nil), "(map[string]int)(0x0)"},
		{(chan int)(nil), "(chan int)(0x0)"},
		{(func())(nil), "(func())(0x0)"},
		{unsafe.Pointer(nil), "(unsafe.Pointer)(0x0)"},
	} {
		if got := printed(t, test.v); got != test.want {
			t.Errorf("%T: %s, want %s", test.v, got, test.want)
		}
	}
	for _, v := range []any{new(int), map[int]int{}, make(chan int), func() {}} {
		if got := printed(t,
			v); !regexp.MustCompile(`^\(.+\)\(0x[0-9a-f]{3,16}\)$`).MatchString(got) {
			t.Errorf("%T: %s", v, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	b := new(text.Buffer)
	for _, test := range []struct {
		f    func()
		want string
	}{
		{func() { b.Uint(0) }, "0"},
		{func() { b.Uint(math.MaxUint64) }, "18446744073709551615"},
		{func() { b.Int(math.MinInt64) }, "-9223372036854775808"},
		{func() { b.Hex(0) }, "0x0"},
		{func() { b.Hex(math.MaxUint64) }, "0xffffffffffffffff"},
	} {
		b.Reset()
		if test.f(); b.String() != test.want {
			t.Errorf("%q, want %q", b.String(), test.want)
		}
	}
}

// TestBufferGrows writes much more than there is room for at first, and again when there is.
func TestBufferGrows(t *testing.T) {
	b := new(text.Buffer)
	for range 2 {
		b.Reset()
		var want strings.Builder
		for i := range 30000 {
			b.Text("1234567")
			b.Uint(uint64(i))
			b.Text(" ")
			b.Address(uintptr(i))
			fmt.Fprintf(&want, "1234567%d 0x%012x", i, i)
		}
		if b.String() != want.String() {
			t.Fatalf("%d bytes, want %d", b.N, want.Len())
		}
	}
}

// TestPartial has command lines of test binaries.
func TestPartial(t *testing.T) {
	defer func() { host.Args = nil }()
	for _, test := range []struct {
		args string
		want bool
	}{
		{"", false},
		{"a.test", false},
		{"a.test -test.paniconexit0 -test.timeout=10m0s", false},
		{"a.test -test.paniconexit0 -test.bench=. -test.v=true", false},
		{"a.test -test.run=. -test.v=true", false},
		{"a.test -test.v=true -test.run=TestOne", true},
		{"a.test -test.skip=TestOne", true},
		{"a.test -test.short=true", true},
		{"a.test -test.fuzz=FuzzOne", true},
	} {
		host.Args = strings.Fields(test.args)
		if got := partial(); got != test.want {
			t.Errorf("%s: partial is %v", test.args, got)
		}
	}
}
