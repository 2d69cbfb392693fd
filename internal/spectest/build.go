// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The server's own files; generated code uses them, and they nothing but the standard library.
//
//go:embed serve/serve.go serve/try.go serve/confirm.go serve/sample.go serve/equal.go
var serveFiles embed.FS

// language begins each file: it is in the language of this release, whatever go.mod says of the
// package's own files.
const language = "//go:build go1.26\n\n"

// build compiles the server for a target's plans into the folder tmp.
func build(s *scope, plans []*plan, tmp string) (binary string, err error) {
	name := s.pkg.Name
	if s.external {
		name = "main"
	}
	src, err := generate(s, plans, name)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{"calls": src}
	for _, f := range []string{"serve", "try", "confirm", "sample", "equal"} {
		text, err := serveFiles.ReadFile("serve/" + f + ".go")
		if err != nil {
			return "", err
		}
		files[f] = bytes.Replace(text, []byte("\npackage serve\n"),
			[]byte("\npackage "+name+"\n"), 1)
	}
	binary = filepath.Join(tmp, "server.exe")
	cmd, err := s.command(files, tmp, binary)
	if err != nil {
		return "", err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: cannot compile what calls the methods: %w\n%s", s.pkg.PkgPath,
			err, bytes.TrimSpace(out))
	}
	return binary, nil
}

// command writes the files and returns the go command that compiles them. They become files of the
// package's tests, or a program in a folder of the main module that is not there.
func (s *scope) command(files map[string][]byte, tmp, binary string) (*exec.Cmd, error) {
	suffix, dir := "_test.go", s.dir
	if s.external {
		suffix, dir = ".go", filepath.Join(s.root, "zz_commute_spec_test")
	}
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	var written []string
	for name, text := range files {
		base := "zz_commute_" + name + suffix
		path := filepath.Join(tmp, base)
		if err := os.WriteFile(path, append([]byte(language), text...), 0o666); err != nil {
			return nil, err
		}
		overlay.Replace[filepath.Join(dir, base)] = path
		written = append(written, path)
	}
	if s.root == "" { // nothing but the standard library: no module is needed
		cmd := exec.Command("go", append([]string{"build", "-o", binary}, written...)...)
		cmd.Dir = tmp
		cmd.Env = append(os.Environ(), "GOWORK=off", "GO111MODULE=on",
			"GOFLAGS="+withoutMod(os.Getenv("GOFLAGS")))
		return cmd, nil
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	json := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(json, text, 0o666); err != nil {
		return nil, err
	}
	args := []string{"build"}
	if !s.external {
		args = []string{"test", "-c"}
	}
	cmd := exec.Command("go", append(args, "-overlay", json, "-o", binary, ".")...)
	cmd.Dir = dir
	if s.external {
		cmd = exec.Command("go", append(args, "-overlay", json, "-o", binary,
			"./"+filepath.Base(dir))...)
		cmd.Dir = s.root
	}
	return cmd, nil
}

// withoutMod leaves out the flag that needs a go.mod.
func withoutMod(flags string) string {
	var keep []string
	for _, f := range strings.Fields(flags) {
		if !strings.HasPrefix(strings.TrimLeft(f, "-"), "mod=") {
			keep = append(keep, f)
		}
	}
	return strings.Join(keep, " ")
}
