// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"os"
	"os/signal"
	"syscall"
)

// forward passes signals on to p that would end this process. Then p ends, and this process with
// it, so that no tool outlives its caller.
func forward(p *os.Process) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				// Where signals cannot be sent (Windows), only Kill works; an
				// interrupt reaches the whole console group there anyway.
				if err := p.Signal(s); err != nil && s != os.Interrupt {
					p.Kill()
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
