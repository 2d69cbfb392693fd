// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// record has the programs that are run write traces into a folder, which is made if there is none. Test results that
// are cached would leave none, so tests are run anew.
func record(own *setting, name string, args []string) ([]string, error) {
	dir := own.trace
	switch {
	case dir == "" && own.last != 0:
		return nil, errors.New("-trace_last says how much is kept of a trace; it needs -trace, with a folder for that")
	case dir == "" && own.limit != 0:
		return nil, errors.New("-trace_limit says how long a trace may get; it needs -trace, with a folder for that")
	case dir == "":
		return args, nil
	case own.last != 0 && own.limit != 0:
		return nil, errors.New("-trace_last keeps the end of a trace, and -trace_limit the beginning: drop one of them")
	}
	if name == "build" || name == "test" && hasFlag("c", args, "") {
		return nil, errors.New("-trace is for programs that are run: build this one with -datarace, and run it with COMMUTE=trace=FOLDER in its environment")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if strings.Contains(dir, " ") {
		return nil, errors.New("-trace " + dir + ": the path must have no spaces")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	options := strings.TrimSpace(os.Getenv("COMMUTE") + " trace=" + dir)
	if own.last != 0 {
		options += fmt.Sprint(" trace_last_mb=", own.last)
	}
	if own.limit != 0 {
		options += fmt.Sprint(" trace_limit_mb=", own.limit)
	}
	if err := os.Setenv("COMMUTE", options); err != nil {
		return nil, err
	}
	if name == "test" && !hasFlag("count", args, "") {
		args = append([]string{"-count=1"}, args...)
	}
	return args, nil
}
