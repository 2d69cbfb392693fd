// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package goenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// ModCache is the folder of the module cache, "" if that can't be found out. The go command tells
// the tools that it runs; else it is asked, once.
func ModCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	return askModCache()
}

var askModCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// Contains reports whether a file is a folder, or in it, or in one below it.
func Contains(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
