// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/internal/toolchain/target"
)

// A kept is the file that keeps the notice of a validation that succeeded, or "". Its name is a
// hash of all that the validation depends on, so it is never changed.
type kept string

// keptFile returns the file in the folder keep. It stats the files that a validation reads, in some
// milliseconds. Where it can't tell whether they have changed, it returns "". A specification that
// the user gives is validated at each build: it may be of a type of the standard library.
func keptFile(env *goenv.Env, changes []Change, keep string) kept {
	exe, err := os.Executable()
	if keep == "" || err != nil || os.Getenv(specset.Variable) != "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %v %v %v\n", env.GOROOT, env.GOVERSION,
		target.Current(env.GOVERSION), watchesMemory(), explores())
	files := []string{exe}
	packages := append(release.Packages(env.GOVERSION), paths(changes)...)
	slices.Sort(packages)
	for _, path := range slices.Compact(packages) {
		list, err := release.Files(env.GOROOT, path)
		if err != nil {
			return ""
		}
		files = append(files, list...)
	}
	for _, name := range files {
		if !stamp(h, name) {
			return ""
		}
	}
	return kept(filepath.Join(keep, "validated-"+hex.EncodeToString(h.Sum(nil)[:16])))
}

func paths(changes []Change) (list []string) {
	for _, c := range changes {
		list = append(list, c.Path)
	}
	return list
}

// stamp writes what changes when a file is written, and reports whether there is such a file.
func stamp(w io.Writer, name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	fmt.Fprintf(w, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	return true
}

// read returns what write has kept, and whether it has.
func (k kept) read() (notice string, ok bool) {
	if k == "" {
		return "", false
	}
	data, err := os.ReadFile(string(k))
	return string(data), err == nil
}

// write keeps a notice, and drops what other validations have kept for a month. If it fails the
// next build validates again.
func (k kept) write(notice string) {
	dir := filepath.Dir(string(k))
	if k == "" || os.MkdirAll(dir, 0o777) != nil {
		return
	}
	old, _ := filepath.Glob(filepath.Join(dir, "validated-*"))
	for _, name := range old {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > 30*24*time.Hour {
			_ = os.Remove(name)
		}
	}
	// The file has its name when it is whole.
	f, err := os.CreateTemp(dir, "validated-")
	if err != nil {
		return
	}
	_, err = io.WriteString(f, notice)
	if f.Close() != nil || err != nil || os.Rename(f.Name(), string(k)) != nil {
		_ = os.Remove(f.Name())
	}
}
