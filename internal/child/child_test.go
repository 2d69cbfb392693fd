// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package child

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is the parent as well as its child.
func TestMain(m *testing.M) {
	switch os.Getenv("CHILD_TEST") {
	case "parent":
		os.Setenv("CHILD_TEST", os.Getenv("CHILD_TEST_CHILD"))
		state, err := Run([]string{os.Args[0]})
		if err != nil {
			panic(err)
		}
		fmt.Println("over")
		Exit(state)
	case "ends":
		os.Exit(7)
	case "handles":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Println("ready")
		fmt.Println((<-c).String())
		os.Exit(9)
	case "waits":
		fmt.Println("ready")
		for { // no deadlock, which the runtime would end
			time.Sleep(time.Hour)
		}
	}
	os.Exit(m.Run())
}

// parent starts a parent with such a child.
func parent(t *testing.T, kind string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHILD_TEST=parent", "CHILD_TEST_CHILD="+kind)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out)
}

// wait reads what is left of the output, until nobody has it open, and waits for the parent.
func wait(t *testing.T, cmd *exec.Cmd, r io.Reader) (string, syscall.WaitStatus) {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	return string(text), cmd.ProcessState.Sys().(syscall.WaitStatus)
}

func ready(t *testing.T, r *bufio.Reader) {
	t.Helper()
	if line, err := r.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
}

func TestExitCode(t *testing.T) {
	cmd, r := parent(t, "ends")
	if text, status := wait(t, cmd, r); text != "over\n" || status.ExitStatus() != 7 {
		t.Errorf("said %q, exit code %d, want 7", text, status.ExitStatus())
	}
}

// TestForwards sends signals to the parent alone: the child gets them, and the parent lives until
// that has ended.
func TestForwards(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			continue // as SIGHUP under nohup: then it is not forwarded
		}
		cmd, r := parent(t, "handles")
		ready(t, r)
		cmd.Process.Signal(s)
		if text, status := wait(t, cmd, r); text != s.String()+"\nover\n" ||
			status.ExitStatus() != 9 {
			t.Errorf("%v: said %q, exit code %d, want 9", s, text, status.ExitStatus())
		}
	}
}

// TestKilled has a child that dies of a signal: so does the parent.
func TestKilled(t *testing.T) {
	cmd, r := parent(t, "waits")
	ready(t, r)
	cmd.Process.Signal(syscall.SIGTERM)
	if text, status := wait(t, cmd, r); text != "over\n" || !status.Signaled() ||
		status.Signal() != syscall.SIGTERM {
		t.Errorf("said %q, status %#x, want that of SIGTERM", text, status)
	}
}

// TestParentKilled kills the parent in a way that it can't notice. The output would stay open if
// the child lived.
func TestParentKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux kills the children")
	}
	cmd, r := parent(t, "waits")
	ready(t, r)
	cmd.Process.Kill()
	if text, _ := wait(t, cmd, r); strings.Contains(text, "over") {
		t.Errorf("said %q", text)
	}
}
