// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// An ImportCfg is what a compile's -importcfg file says.
type ImportCfg struct {
	PackageFile map[string]string // the archive of a package
	ImportMap   map[string]string // the package that an import path means
}

// ReadImportCfg reads the import configuration of c.
func (c *Compile) ReadImportCfg() (*ImportCfg, error) {
	cfg := &ImportCfg{PackageFile: make(map[string]string), ImportMap: make(map[string]string)}
	if c.ImportCfg == "" {
		return cfg, nil
	}
	data, err := os.ReadFile(c.ImportCfg)
	if err != nil {
		return nil, fmt.Errorf("reading the import configuration: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		verb, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		before, after, ok := strings.Cut(args, "=")
		if !ok {
			continue
		}
		switch verb {
		case "packagefile":
			cfg.PackageFile[before] = after
		case "importmap":
			cfg.ImportMap[before] = after
		}
	}
	return cfg, nil
}

// Trim returns the name that the compiler records for file, as
// cmd/internal/objabi.AbsFile does.
func (c *Compile) Trim(file string) string {
	for rewrite := range strings.SplitSeq(c.TrimPath, ";") {
		old, with, ok := strings.Cut(rewrite, "=>")
		if !ok || old == "" {
			continue
		}
		if file == old {
			return with
		}
		rest, ok := strings.CutPrefix(file, old)
		if !ok || rest[0] != '/' && rest[0] != filepath.Separator {
			continue
		}
		if with == "" {
			return rest[1:]
		}
		return with + rest
	}
	return file
}
