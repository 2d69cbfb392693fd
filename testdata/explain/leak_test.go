// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"context"
	"testing"
)

func ask(question string) string { return "the answer to " + question }

func firstOf(a, b string) string {
	answers := make(chan string)
	go func() { answers <- ask(a) }()
	go func() { answers <- ask(b) }()
	return <-answers // who comes second waits for ever
}

func firstAndStop(a, b string) string {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	answers := make(chan string)
	for _, q := range []string{a, b} {
		go func() {
			select {
			case answers <- ask(q):
			case <-ctx.Done():
			}
		}()
	}
	return <-answers
}

func TestRaceLeak(t *testing.T) { firstOf("a", "b") }

func TestNoRaceLeak(t *testing.T) { firstAndStop("a", "b") }
