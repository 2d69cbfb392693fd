// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package child runs a command in the foreground so that the program that started this process sees
// no difference from the command itself: the same streams, process group and exit, and each signal
// that is sent to this process reaches it.
//
// Input: a command line. Output: how the command ended.
package child

import (
	"os"
	"os/signal"
	"runtime"
)

// NotifyEnd has the signals that are to end a process be sent to c, but for those that this process
// ignores.
func NotifyEnd(c chan<- os.Signal) {
	for _, s := range ending {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// Run runs args with the streams and files of this process, and waits for it. A child is killed
// with its parent where the system can do that.
func Run(args []string) (*os.ProcessState, error) {
	// The parent is a thread as far as Linux is concerned.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	arrived := make(chan os.Signal, 16)
	for _, s := range forwarded {
		if !signal.Ignored(s) { // else the child is to ignore it too
			signal.Notify(arrived, s)
		}
	}
	defer signal.Stop(arrived)
	p, err := os.StartProcess(args[0], args,
		&os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: withParent()})
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case s := <-arrived:
				// A terminal sends it to the whole process group. Then the child gets it twice, of
				// which the go command makes nothing. An error means that the child has ended.
				p.Signal(s)
			case <-done:
				return
			}
		}
	}()
	return p.Wait()
}
