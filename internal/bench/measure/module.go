// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// CopyModule fetches a module, path@version, through the module proxy and copies it to dst, a new
// folder, where it may be written. A module without go.mod gets one.
func CopyModule(dst, module string) error {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &m); jsonErr != nil {
		return errors.Join(err, jsonErr)
	}
	if err != nil || m.Error != "" {
		return fmt.Errorf("go mod download %s: %v %s", module, err, m.Error)
	}
	if err := os.CopyFS(dst, os.DirFS(m.Dir)); err != nil {
		return err
	}
	if err := makeWritable(dst); err != nil {
		return err
	}
	path := filepath.Join(dst, "go.mod")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	name, _, _ := strings.Cut(module, "@")
	return os.WriteFile(path, []byte("module "+name+"\n\ngo 1.26\n"), 0o666)
}

// makeWritable undoes the module cache's protection.
func makeWritable(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()|0o200)
	})
}
