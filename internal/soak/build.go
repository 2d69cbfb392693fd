// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sources are the packages that programs are made of. They are copied into a module of their own,
// of which only the main package is on the command line, and watched.
//
//go:embed plan/*.go machine/*.go
var sources embed.FS

const (
	here  = "github.com/commutego/commute/internal/soak"
	there = "soak.test"
)

// A build is a way to build a program.
type build struct {
	name    string
	command []string
	memory  bool // accesses to memory are watched
	calls   bool // calls are
}

// builds are all; tool is the commute command.
func builds(tool string) (plain, calls, memory build) {
	return build{name: "plain", command: []string{"go", "build"}},
		build{name: "commute", command: []string{tool, "build"}, calls: true},
		build{name: "datarace", command: []string{tool, "build", "-datarace"}, calls: true,
			memory: true}
}

// writeModule writes a module whose main file is given, with the packages that it needs.
func writeModule(dir string, main []byte) error {
	write := func(name string, text []byte) error {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(strings.ReplaceAll(string(text), here, there)), 0o666)
	}
	if err := write("go.mod", []byte("module "+there+"\n\ngo 1.26\n")); err != nil {
		return err
	}
	for _, pkg := range []string{"plan", "machine"} {
		files, err := sources.ReadDir(pkg)
		if err != nil {
			return err
		}
		for _, f := range files {
			name := pkg + "/" + f.Name()
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := sources.ReadFile(name)
			if err != nil {
				return err
			}
			if err := write(name, text); err != nil {
				return err
			}
		}
	}
	return write("program.go", main)
}

// compile builds the module in dir and returns the binary's path.
func (b build) compile(dir string) (string, error) {
	binary := filepath.Join(dir, b.name+".exe")
	cmd := exec.Command(b.command[0], append(b.command[1:len(b.command):len(b.command)], "-o",
		binary, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return binary, nil
}
