// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package counts

import (
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
