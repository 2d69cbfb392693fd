// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && !windows && !plan9 && !js && !wasip1

package runtime

// Signals that the program doesn't handle. One that ends the program, as Ctrl-C does, waits until
// what was found is written. SIGUSR1, which would do nothing, asks for what was found so far.

// commute_SIGTERM has no name in package runtime; it is the same everywhere.
const commute_SIGTERM = 15

func init() { commute_reports.die = dieFromSignal }

// commute_signalled comes from the handler of signals. It reports whether nothing else is to be
// done there. The second of the signals that end the program does so at once.
//
//go:nowritebarrierrec
func commute_signalled(sig uint32) bool {
	r := &commute_reports
	switch sig {
	case _SIGUSR1:
		r.asked.Store(1)
	case _SIGINT, commute_SIGTERM, _SIGHUP:
		if !r.signal.CompareAndSwap(0, sig) {
			return false
		}
	default:
		return false
	}
	return commute_host_Wake()
}
