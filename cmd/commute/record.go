// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// record has the programs that are run write traces into a folder, which is made if there is none. Test results that
// are cached would leave none, so tests are run anew.
func record(dir, name string, args []string) ([]string, error) {
	if dir == "" {
		return args, nil
	}
	if name == "build" {
		return nil, errors.New("-trace is for commute test and commute run: the program that is built takes COMMUTE=trace=FOLDER")
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
	if err := os.Setenv("COMMUTE", strings.TrimSpace(os.Getenv("COMMUTE")+" trace="+dir)); err != nil {
		return nil, err
	}
	if name == "test" && !hasFlag("count", args, "") {
		args = append([]string{"-count=1"}, args...)
	}
	return args, nil
}
