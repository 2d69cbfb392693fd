// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package goenv asks the user's go command what it is. The answer depends on the
// directory: go.mod, go.work and GOTOOLCHAIN choose the toolchain.
//
// Input: the path of a go command and a -C flag. Output: an Env.
package goenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Env is what commute needs of "go env".
type Env struct {
	GOROOT    string
	GOVERSION string
	GOFLAGS   string
	GOMOD     string // the main module's go.mod
	GOWORK    string // the workspace's go.work, if there is one
}

// Read runs "go env" with the arguments chdir, which are a -C flag or none.
func Read(path string, chdir []string) (*Env, error) {
	args := append([]string{"env"}, chdir...)
	cmd := exec.Command(path,
		append(args, "-json", "GOROOT", "GOVERSION", "GOFLAGS", "GOMOD", "GOWORK")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if msg := strings.TrimSpace(stderr.String()); msg != "" {
			return nil, errors.New(msg)
		}
		return nil, fmt.Errorf("running go env: %w", err)
	}
	env := new(Env)
	if err := json.Unmarshal(out, env); err != nil {
		return nil, fmt.Errorf("reading the output of go env: %w", err)
	}
	return env, nil
}
