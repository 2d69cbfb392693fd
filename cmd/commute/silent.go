// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/commutego/commute/internal/format"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/silence"
	"github.com/commutego/commute/report"
)

// Silent is what is not to be reported in a run.
type silent struct {
	files    []*silence.File // those of -suppressions and -baseline, if they hold in this run
	baseline *silence.File   // nil without the flag
	now      time.Time
}

// any reports whether there is anything of the kind.
func (s *silent) any() bool { return s.baseline != nil || len(s.files) > 0 }

// silence reads the file of option suppressions, and the baseline. Where there is more in them than
// programs know of, dates or two files, programs get a file that is made of both. Rules is a hash
// of what programs read.
func (own *setting) silence(list []option.Setting, rules string, now time.Time) ([]option.Setting,
	string, error) {
	if own.update && own.baseline == "" {
		return nil, "", errors.New("-update_baseline writes the file of -baseline: name one with " +
			"-baseline=FILE")
	}
	own.silent.now = now
	at := -1 // the last one counts
	for i, o := range list {
		if o.Name == "suppressions" {
			at = i
		}
	}
	made := own.baseline != ""
	if at >= 0 {
		f, err := readSilence(list[at].Value)
		if err != nil {
			return nil, "", err
		}
		own.silent.files = append(own.silent.files, f)
		made = made || len(own.silent.expired()) > 0
	}
	if err := own.readBaseline(); err != nil {
		return nil, "", err
	}
	for _, line := range own.silent.expired() {
		fmt.Fprintf(os.Stderr, "commute: %s\n", line)
	}
	if !made {
		return list, rules, nil
	}
	text := ""
	for _, f := range own.silent.files {
		text += f.Rules(now)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(o option.Setting) bool {
		return o.Name == "suppressions"
	})
	if text == "" {
		return list, "", nil
	}
	path, rules, err := keepRules(text)
	if err != nil {
		return nil, "", err
	}
	return append(list, option.Setting{Name: "suppressions", Value: path}), rules, nil
}

// readBaseline reads the baseline. It holds in this run, unless the run is to update it.
func (own *setting) readBaseline() (err error) {
	if own.baseline == "" {
		return nil
	}
	s := &own.silent
	s.baseline, err = readSilence(own.baseline)
	switch {
	case errors.Is(err, fs.ErrNotExist) && own.update:
		s.baseline, err = silence.Parse(own.baseline, "")
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("-baseline=%s: no such file (-update_baseline makes it)", own.baseline)
	}
	if err != nil {
		return err
	}
	if s.baseline.Name, err = filepath.Abs(own.baseline); err != nil {
		return err
	}
	if !own.update {
		s.files = append(s.files, s.baseline)
	}
	return nil
}

// readSilence reads a file of suppressions.
func readSilence(path string) (*silence.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return silence.Parse(path, string(text))
}

// keepRules keeps what programs are to read in a file whose name goes by what is in it, so that go
// test's cache knows it again.
func keepRules(text string) (path, hash string, err error) {
	sum := sha256.Sum256([]byte(text))
	hash = hex.EncodeToString(sum[:12])
	dir := ownCache()
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "commute")
	}
	path = filepath.Join(dir, "suppressions", hash)
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return path, hash, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", "", err
	}
	return path, hash, os.WriteFile(path, []byte(text), 0o666)
}

// expired are lines about those that hold no longer.
func (s *silent) expired() (list []string) {
	for _, f := range s.files {
		for _, l := range f.Lines {
			if l.Expired(s.now) {
				list = append(list, fmt.Sprintf("%s: expired after %s: %v: what it kept silent is "+
					"reported (mend that, or set another date)", place(f, l),
					l.Until.Format(time.DateOnly), l))
			}
		}
	}
	return list
}

// unused are lines about those that hold for nothing that was found, if all was run.
func (s *silent) unused(used map[string]bool, complete bool) (list []string) {
	if !complete {
		return nil
	}
	for _, f := range s.files {
		for _, l := range f.Lines {
			if !used[l.Text] && !l.Expired(s.now) {
				list = append(list, fmt.Sprintf("%s: %v is unused: nothing was found for it in this "+
					"run", place(f, l), l))
			}
		}
	}
	return list
}

// update writes the baseline anew, by what was found, and says what has changed. Where not all was
// run, lines without a finding stay.
func (s *silent) update(findings []*report.Finding, complete bool) (line string, err error) {
	f := s.baseline
	text, added, dropped := f.Update(findings, func(l *silence.Line) bool {
		return complete && !slices.ContainsFunc(findings, func(x *report.Finding) bool {
			return l.Matches(silence.Texts(x))
		})
	})
	err = format.Replace(f.Name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("-update_baseline: %w", err)
	}
	line = fmt.Sprintf("%s: %s added, %d taken out", relative(f.Name), number(uint64(added), "line"),
		dropped)
	if !complete {
		line += "; others stay, as not all tests were run"
	}
	return line, nil
}

// place is where a line stands.
func place(f *silence.File, l *silence.Line) string {
	return fmt.Sprintf("%s:%d", relative(f.Name), l.Number)
}
