// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package format writes the findings of a run to files, for other programs and for browsers.
//
// Input: a [report.Run], and values of flag -report, as "sarif=FILE". Output: the files.
package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/internal/format/github"
	"github.com/commutego/commute/internal/format/html"
	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/internal/format/sarif"
	"github.com/commutego/commute/report"
)

// An Output is a file to be written, and its format.
type Output struct {
	format string
	path   string // absolute; "" is standard error, and "-" standard output
	asked  string // what errors say in front of the path: "-report=json="
}

// formats are the writers of the formats by their names.
var formats = map[string]func(w io.Writer, run *report.Run, root location.Root,
	version string) error{
	"json":  writeJSON,
	"sarif": sarif.Write,
	"github": func(w io.Writer, run *report.Run, root location.Root, _ string) error {
		return github.Write(w, run, root)
	},
	"html": func(w io.Writer, run *report.Run, root location.Root, _ string) error {
		return html.Write(w, run, root)
	},
}

// Need says what a value of the flag has to be.
const Need = "a format and a file, as in -report=sarif=commute.sarif; formats are json, sarif, " +
	"github and html"

// Parse reads a value of the flag: "FORMAT=FILE", where FILE may be - for standard output, or
// "github", which is for standard error. The file's folder has to be there.
func Parse(value string) (o Output, err error) {
	name, file, hasFile := strings.Cut(value, "=")
	if formats[name] == nil {
		return o, fmt.Errorf("-report=%s: there is no format %q (want %s)", value, name, Need)
	}
	o.format, o.path, o.asked = name, file, "-report="+name+"="
	switch {
	case !hasFile && name == "github":
		return o, nil
	case file == "":
		return o, fmt.Errorf("-report=%s: no file is named (want %s)", value, Need)
	case file == "-":
		return o, nil
	}
	return To("-report="+name+"=", name, file)
}

// To is a file of a format that must be there, whose folder has to be there. Errors begin with
// asked, which says who has asked for the file, and then name the file.
func To(asked, format, file string) (o Output, err error) {
	o.format, o.asked = format, asked
	if o.path, err = filepath.Abs(file); err != nil {
		return o, err
	}
	// A run may take long: what is wrong is said before it.
	switch info, err := os.Stat(filepath.Dir(o.path)); {
	case errors.Is(err, os.ErrNotExist), err == nil && !info.IsDir():
		return o, fmt.Errorf("%s%s: there is no folder %s (make it, or name another file)",
			asked, file, filepath.Dir(file))
	case err != nil:
		return o, fmt.Errorf("%s%s: %w", asked, file, err)
	}
	if info, err := os.Stat(o.path); err == nil && info.IsDir() {
		return o, fmt.Errorf("%s%s: %[2]s is a folder (name a file)", asked, file)
	}
	return o, nil
}

// Write writes a run in all formats that are asked for. Root is the folder that paths are relative
// to. It goes on where a file cannot be written, and returns all errors.
func Write(outputs []Output, run *report.Run, root, version string) error {
	run.Version = report.Version
	if run.Findings == nil {
		run.Findings = []*report.Finding{}
	}
	var errs []error
	for _, o := range outputs {
		if err := o.write(run, location.At(root), version); err != nil {
			errs = append(errs, fmt.Errorf("%s%s: %w", o.asked, o.path, err))
		}
	}
	return errors.Join(errs...)
}

// write writes one file.
func (o Output) write(run *report.Run, root location.Root, version string) error {
	to := formats[o.format]
	switch o.path {
	case "":
		return to(os.Stderr, run, root, version)
	case "-":
		return to(os.Stdout, run, root, version)
	}
	// Only a file can be replaced, and not a device or a pipe.
	if info, err := os.Stat(o.path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(o.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(to(f, run, root, version), f.Close())
	}
	return Replace(o.path, func(w io.Writer) error { return to(w, run, root, version) })
}

// Replace replaces a file by what write writes. If that fails, the file stays as it is.
func Replace(path string, write func(w io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// writeJSON writes the run as it is.
func writeJSON(w io.Writer, run *report.Run, _ location.Root, _ string) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(run)
}
