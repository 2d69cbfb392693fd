// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"log/slog"
	"strings"
)

// quiet is a handler of log records that leaves out what tells of no fault: at the end of a
// pipeline the runner cancels the streams of its workers, and a worker that still reads one logs
// that as an error.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if cancelledRead(r.Message) {
		return nil
	}
	return q.Handler.Handle(ctx, r)
}

func (q quiet) WithAttrs(as []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(as)} }

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }

// cancelledRead reports whether a message tells that a worker's stream was cancelled while it was
// read: "[SDK] StateChannel[host:port].read bad: rpc error: code = Canceled desc = ...".
func cancelledRead(message string) bool {
	_, stream, ok := strings.Cut(message, "[SDK] ")
	return ok && (strings.HasPrefix(stream, "StateChannel") ||
		strings.HasPrefix(stream, "DataChannel")) &&
		strings.Contains(stream, " bad: rpc error: code = Canceled ")
}
