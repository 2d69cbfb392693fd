// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package version answers the go command when it asks a tool for its version. The go command makes
// the answer a part of each build's cache key. Commute adds a hash of itself to the compiler's. So
// a package that it has patched is never taken for one that it has not, or that another commute
// has.
//
// Input: the line that the tool printed. Output: the line with the hash.
package version

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Line adds key to a tool's answer to -V=full, and returns the Go release that
// the answer names.
//
// Of a release the go command takes the whole line. Of a development version it takes the text
// after the last slash of the last field, which has to begin with "buildID=". So the key goes at
// the very end in both forms.
func Line(line, key string) (out, goVersion string, err error) {
	line = strings.TrimSpace(line)
	f := strings.Fields(line)
	if len(f) < 3 || f[1] != "version" {
		return "", "", fmt.Errorf("cannot read the compiler's version: %q", line)
	}
	if strings.Contains(f[2], "devel") {
		if !strings.HasPrefix(f[len(f)-1], "buildID=") {
			return "", "", fmt.Errorf("cannot read the compiler's version: %q has no buildID", line)
		}
		return line + "+commute-" + key, f[2], nil
	}
	return line + " commute-" + key, f[2], nil
}

// Key hashes the running executable, or what identifies it, and the file systems that it reads,
// which are embedded in it except in tests.
func Key(systems ...fs.FS) (string, error) {
	h := sha256.New()
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if id := buildID(f); id != "" {
		fmt.Fprintf(h, "%q\n", id)
	} else if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	for _, fsys := range systems {
		err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(fsys, path)
			fmt.Fprintf(h, "%q %d\n", path, len(data))
			h.Write(data)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}
