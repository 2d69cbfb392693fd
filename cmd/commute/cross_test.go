// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var cross = flag.Bool("cross", false,
	"build a test for every kind of port with the real engine (minutes)")

const crossTest = `package m

import (
	"sync"
	"sync/atomic"
	"testing"
)

func Test(t *testing.T) {
	var m sync.Map
	var n int64
	var wg sync.WaitGroup
	wg.Go(func() { m.Store(1, atomic.AddInt64(&n, 1)) })
	wg.Wait()
}
`

// TestCross compiles and links, but does not run, a test for ports that differ
// in word size, memory model, object format or scheduler.
func TestCross(t *testing.T) {
	if !*cross {
		t.Skip("without -cross")
	}
	dir := t.TempDir()
	commute := filepath.Join(dir, "commute")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", commute, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m_test.go": crossTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, port := range []string{"darwin/arm64", "windows/amd64", "linux/arm64", "linux/386",
		"js/wasm", "freebsd/amd64"} {
		t.Run(port, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(port, "/")
			cmd := exec.Command(commute, "test", "-c",
				"-o", filepath.Join(dir, goos+"_"+goarch), ".")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
			if cache := os.Getenv("COMMUTE_TEST_GOCACHE"); cache != "" {
				cmd.Env = append(cmd.Env, "GOCACHE="+cache)
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
