// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package counts

import (
	"reflect"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

// TestScratch has functions of modules whose pools order nothing, and one of another.
func TestScratch(t *testing.T) {
	for name, want := range map[string]bool{
		"google.golang.org/grpc/mem.(*simpleBufferPool).Get": true,
		"google.golang.org/grpc.(*Server).Serve":             true,
		"google.golang.org/protobuf/proto.Marshal":           true,
		"golang.org/x/net/http2/hpack.HuffmanDecode":         true,
		"google.golang.org/grp":                              false,
		"example.org/pool.Get":                               false,
	} {
		fr := host.Frame{Func: name, File: "/home/u/pkg/mod/x.go"}
		if got := hasScratch(fr); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestScratchIsRemembered asks what is remembered of a place in the standard library, and of one in
// this test, before each was asked for, and after it.
func TestScratchIsRemembered(t *testing.T) {
	library := reflect.ValueOf(strings.Repeat).Pointer() + 1
	program := reflect.ValueOf(TestScratch).Pointer() + 1
	for site, want := range map[uintptr]bool{library: true, program: false} {
		for i := range scratchSites {
			scratchSites[i].Store(0)
		}
		if _, known := KnownScratch(site); known || KnownOrdered(site) {
			t.Errorf("%#x is known before it was asked for", site)
		}
		if got := IsScratch(site); got != want {
			t.Errorf("IsScratch(%#x) = %v, want %v", site, got, want)
		}
		scratch, known := KnownScratch(site)
		if !known || scratch != want || KnownOrdered(site) == want {
			t.Errorf("%#x: known %v, scratch %v, ordered %v; want scratch %v", site, known, scratch,
				KnownOrdered(site), want)
		}
	}
}

// TestSitesOfOneLine asks for return addresses in turns that have one place. As many as there are
// places in its line are asked for once each.
func TestSitesOfOneLine(t *testing.T) {
	base := reflect.ValueOf(strings.Repeat).Pointer()
	var same []uintptr
	for site := base; len(same) < line+1; site++ {
		if place(site) == place(base) {
			same = append(same, site)
		}
	}
	var s sites
	asked := 0
	round := func(list []uintptr) {
		for _, site := range list {
			want := site%2 == 0
			got := s.is(site, func(host.Frame) bool { asked++; return want })
			if got != want {
				t.Errorf("%#x: %v, want %v", site, got, want)
			}
		}
	}
	for range 5 {
		round(same[:line])
	}
	if asked != line {
		t.Errorf("asked %d times for %d return addresses", asked, line)
	}
	round(same) // one too many: some are asked for again, and all answers are right
	round(same)
}
