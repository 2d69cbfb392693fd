// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSlowScript has a script that never ends beside one that does: the first fails, when its time
// is up, and the second does not.
func TestSlowScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sleep")
	}
	dir := t.TempDir()
	result := func(name, text string, limit time.Duration) *outcome {
		file := filepath.Join(dir, name+".txtar")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return runScript(settings{}.params(file, time.Now().Add(limit)))
	}
	ended := make(chan *outcome)
	go func() { ended <- result("slow", "exec sleep 600\n", time.Second) }()
	quick := result("quick", "exec sleep 0\n", time.Minute)
	slow := <-ended
	if !slow.failed || !strings.Contains(slow.log.String(),
		"test timed out while running command") {
		t.Errorf("the script that never ends has failed: %t\n%s", slow.failed, slow.log.String())
	}
	if quick.failed {
		t.Errorf("the other one has failed\n%s", quick.log.String())
	}
}

// TestDeadline has no script go on to the end of the whole run, which would take the results of all
// with it.
func TestDeadline(t *testing.T) {
	at := deadline(t)
	if until := time.Until(at); until > scriptLimit {
		t.Errorf("a script has %v", until)
	}
	if all, ok := t.Deadline(); ok && !at.Before(all) {
		t.Errorf("a script ends at %v, all tests at %v", at, all)
	}
}

// An outcome is a testscript.T that keeps what comes of a script.
type outcome struct {
	log    strings.Builder
	failed bool
}

// runScript runs a script in a goroutine of its own, which a failure ends.
func runScript(p testscript.Params) *outcome {
	o := new(outcome)
	done := make(chan bool)
	go func() {
		defer close(done)
		testscript.RunT(o, p)
	}()
	<-done
	return o
}

func (o *outcome) Run(_ string, f func(testscript.T)) { f(o) }
func (o *outcome) Parallel()                          {}
func (o *outcome) Verbose() bool                      { return true }
func (o *outcome) Log(args ...any)                    { fmt.Fprintln(&o.log, args...) }
func (o *outcome) Skip(args ...any)                   { runtime.Goexit() }
func (o *outcome) Fatal(args ...any)                  { o.Log(args...); o.FailNow() }
func (o *outcome) FailNow()                           { o.failed = true; runtime.Goexit() }
