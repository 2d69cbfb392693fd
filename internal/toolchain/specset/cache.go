// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specset

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/command"
	"golang.org/x/mod/modfile"
)

// flag is taken out before the compiler runs. Its value is a hash of the specifications of a
// package. The go command does not know of .ecl files, but it takes the flags of a package's
// compiler into the key of its cache.
const flag = "-" + command.Own

// KeyVariable is the environment variable with a hash of all specifications, for builds to which no
// flags can be given. It counts for all packages.
const KeyVariable = "COMMUTE_SPECKEY"

// CacheFlags returns flags for the go command that runs in folder dir, so that packages whose
// specifications have changed are compiled anew. The modules are those of the files goWork and
// goMod. Of all flags that match a package only the last counts: every is what the compiler must be
// given with any others for the same packages. flags says that the user gives -gcflags, which
// commute's would replace: then KeyVariable is set.
func CacheFlags(dir, goWork, goMod string, flags bool) (list, every []string, err error) {
	keys := make(texts)
	for _, root := range ModuleDirs(goWork, goMod) {
		if err := keys.folders(root, dir); err != nil {
			return nil, nil, err
		}
	}
	given, err := Given()
	if err != nil {
		return nil, nil, err
	}
	for _, s := range given {
		keys[s.Path] += s.Source() + "\x00"
	}
	for _, p := range slices.Sorted(maps.Keys(keys)) {
		flags = flags || strings.ContainsAny(p, "= '\"\t\n") || filepath.IsAbs(p)
		list = append(list, "-gcflags="+p+"="+flag+"="+hash(keys[p]))
	}
	switch {
	case len(list) == 0:
		return nil, nil, nil
	case flags:
		return nil, nil, os.Setenv(KeyVariable, keys.hash())
	}
	return list, []string{flag + "=" + keys.hash()}, nil
}

// Key is a hash of the .ecl files of the modules of goWork and goMod, "" if there are none.
func Key(goWork, goMod string) (string, error) {
	keys := make(texts)
	for _, root := range ModuleDirs(goWork, goMod) {
		if err := keys.folders(root, root); err != nil {
			return "", err
		}
	}
	if len(keys) == 0 {
		return "", nil
	}
	return keys.hash(), nil
}

// texts are the texts of specifications, by the pattern of the packages that they are for.
type texts map[string]string

func (t texts) hash() string {
	all := ""
	for _, p := range slices.Sorted(maps.Keys(t)) {
		all += p + "\x00" + hash(t[p]) + "\n"
	}
	return hash(all)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// folders adds the .ecl files of a module's packages, by the folders they are in, relative to dir.
// A folder without a Go file is no package, and one with a go.mod is another module.
func (t texts) folders(root, dir string) error {
	packages := make(map[string]bool)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is nothing to compile either
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (name[0] == '.' || name[0] == '_' || name == "node_modules" ||
				name == "vendor" || isModule(path)) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".ecl" || !isPackage(filepath.Dir(path), packages) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			rel = filepath.Dir(path) // on another drive
		} else if rel = filepath.ToSlash(rel); rel != "." && rel != ".." &&
			!strings.HasPrefix(rel, "../") {
			rel = "./" + rel
		}
		t[rel] += name + "\x00" + string(text) + "\x00"
		return nil
	})
}

// isPackage reports whether a folder has a Go file. It remembers what it has found.
func isPackage(dir string, known map[string]bool) bool {
	is, ok := known[dir]
	if !ok {
		entries, err := os.ReadDir(dir)
		is = err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			return filepath.Ext(e.Name()) == ".go"
		})
		known[dir] = is
	}
	return is
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// ModuleDirs lists the folders whose packages may change: those of the main modules, and those that
// replace other modules.
func ModuleDirs(goWork, goMod string) (dirs []string) {
	add := func(from, to string) {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(from), filepath.FromSlash(to))
		}
		for _, d := range dirs {
			if rel, err := filepath.Rel(d, to); err == nil && rel != ".." &&
				!strings.HasPrefix(rel, ".."+string(filepath.Separator)) &&
				(rel == "." || !isModule(to)) {
				return // it is walked already
			}
		}
		dirs = append(dirs, to)
	}
	replaced := func(from string, list []*modfile.Replace) {
		for _, r := range list {
			if r.New.Version == "" {
				add(from, r.New.Path)
			}
		}
	}
	mods := []string{goMod}
	if text, err := os.ReadFile(goWork); err == nil {
		if work, err := modfile.ParseWork(goWork, text, nil); err == nil {
			mods = nil
			for _, use := range work.Use {
				mods = append(mods, filepath.Join(absolute(goWork, use.Path), "go.mod"))
			}
			replaced(goWork, work.Replace)
		}
	}
	for _, mod := range mods {
		text, err := os.ReadFile(mod)
		if err != nil {
			continue
		}
		add(mod, ".")
		if file, err := modfile.Parse(mod, text, nil); err == nil {
			replaced(mod, file.Replace)
		}
	}
	return dirs
}

func absolute(from, to string) string {
	if filepath.IsAbs(to) {
		return to
	}
	return filepath.Join(filepath.Dir(from), filepath.FromSlash(to))
}
