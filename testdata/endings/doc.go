// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package endings and the packages below it hold tests and programs that make a finding and then
// end in an unusual way (the tests only if COMMUTE_ENDINGS is set). The finding must have been
// printed, and the program's own message and exit code must stay. Plainly:
//
//	package   COMMUTE_ENDINGS=1 go test ./package       go run ./package
//	panic     exit code 1, "panic: own message"         "panic: own message", exit status 2
//	exit      exit code 1, "exit status 3"              "own message", exit status 3
//	fatal     exit code 1, "own message"                "own message", exit status 1
//	deadlock  exit code 1, "panic: test timed out"      "all goroutines are asleep - deadlock!", exit status 2
//	goexit    exit code 1, a test that calls Goexit     "no goroutines (main called runtime.Goexit) - deadlock!"
//	clean     exit code 0                               "own message", exit status 0
//
// A program that is watched and ends by itself with a finding exits with the checker's own code
// (66) only where it would have exited with 0.
package endings
