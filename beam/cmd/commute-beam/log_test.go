// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestQuiet has the log without the streams that were cancelled, and with all else.
func TestQuiet(t *testing.T) {
	const (
		state = "[SDK] StateChannel[localhost:38157].read bad: rpc error: "
		data  = "[SDK] DataChannel.read localhost:38157 bad: rpc error: "
	)
	for _, c := range []struct {
		message string
		said    bool
	}{
		{state + "code = Canceled desc = context canceled", false},
		{data + "code = Canceled desc = context canceled", false},
		{state + "code = Unavailable desc = error reading from server: EOF", true},
		{data + "code = Internal desc = x", true},
		{"[SDK] failed: bad: rpc error: code = Canceled desc = context canceled", true},
		{"StateChannel[x].read bad: rpc error: code = Canceled desc = x", true},
		{"a stage failed", true},
	} {
		var b bytes.Buffer
		l := slog.New(quiet{slog.NewTextHandler(&b, nil)})
		for _, l := range []*slog.Logger{l, l.With("a", 1), l.WithGroup("g")} {
			b.Reset()
			l.Error(c.message)
			if got := strings.Contains(b.String(), "level=ERROR"); got != c.said {
				t.Errorf("%s: said %v, want %v: %s", c.message, got, c.said, b.String())
			}
		}
	}
}
