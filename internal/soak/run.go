// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/commutego/commute/internal/soak/machine"
	"github.com/commutego/commute/internal/soak/plan"
)

// An outcome is what a run of a program did.
type outcome struct {
	stdout, stderr string
	status         int
	timeout        bool
}

// execute runs a program. If it has not ended by the deadline, its goroutines' stacks are on
// stderr.
func execute(binary string, args []string, procs int, deadline time.Duration) (outcome, error) {
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), "COMMUTE=atexit_sleep_ms=0 level=races", "GOTRACEBACK=all",
		"GOMAXPROCS="+strconv.Itoa(procs))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	late := make(chan bool, 1)
	timer := time.AfterFunc(deadline, func() {
		late <- true
		_ = cmd.Process.Signal(quit)
		time.Sleep(5 * time.Second)
		_ = cmd.Process.Kill()
	})
	err := cmd.Wait()
	timer.Stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return outcome{}, err
	}
	o := outcome{stdout: stdout.String(), stderr: stderr.String(),
		status: cmd.ProcessState.ExitCode()}
	select {
	case o.timeout = <-late:
	default:
	}
	return o, nil
}

// found is the exit status of a program in which something was found.
const foundStatus = 66

// judge says what is wrong with a run of the machine.
func judge(m machineBuild, plans []*plan.Plan, o outcome) ([]mistake, count) {
	if o.timeout {
		return []mistake{{-1, "deadlock", "it has not ended by the deadline"}}, count{}
	}
	all, rest := reports(o.stderr)
	oracle := newOracle(m, plans)
	mistakes, c := oracle.check(all)
	status := 0
	if len(all) > 0 {
		status = foundStatus
	}
	if o.status != status {
		mistakes = append(mistakes,
			mistake{-1, "exit status", fmt.Sprintf("%d, want %d", o.status, status)})
	}
	if rest != "" {
		mistakes = append(mistakes, mistake{-1, "stderr", rest})
	}
	lines := strings.Split(strings.TrimSuffix(o.stdout, "\n"), "\n")
	if len(lines) != len(plans) {
		return append(mistakes,
			mistake{-1, "stdout", fmt.Sprintf("%d lines, want %d", len(lines), len(plans))}), c
	}
	for k, line := range lines {
		if want := machine.Line(plans[k]); line != want {
			mistakes = append(mistakes,
				mistake{k, "stdout", fmt.Sprintf("%q, want %q", line, want)})
		}
	}
	return mistakes, c
}
