// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package tracefile opens and creates files of traces in any format, compressed by gzip or not.
//
// Input: a file's name, and maybe the name of its format. Without that, the format of a file that
// is read is found by its content, and that of a file that is written by its name. Output: a
// [trace.Reader] or a [trace.Writer]. The errors of both begin with the file's name.
package tracefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/native"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/roadrunner"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/std"
	"github.com/klauspost/compress/gzip"
)

// The names of the formats.
const (
	Binary     = "binary"
	Text       = "text" // of package raw
	STD        = "std"
	RoadRunner = "roadrunner"
)

// Formats are all formats.
var Formats = []string{Binary, Text, STD, RoadRunner}

// A File is a trace that is read.
type File struct {
	trace.Reader
	Name   string
	Format string
	Gzip   bool
	Size   int64 // of the file; 0 if that isn't known

	file   io.Reader
	closer io.Closer      // nil if the caller closes the file
	binary *native.Reader // nil for other formats
	done   atomic.Int64   // the number of bytes read
}

// Open opens a file, or standard input if the name is "-". The format may be "".
func Open(name, format string) (*File, error) {
	if name == "-" {
		return New(os.Stdin, "standard input", format)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, openError(err)
	}
	f := &File{Name: name, file: file, closer: file}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		f.Size = info.Size()
	} else if err == nil && info.IsDir() {
		file.Close()
		return nil, fmt.Errorf("%s: it is a directory (name the files in it)", name)
	}
	if err := f.open(format); err != nil {
		f.Close()
		return nil, f.explain(err)
	}
	return f, nil
}

// New reads a trace from r. Errors use the name as the file's name. The format may be "".
func New(r io.Reader, name, format string) (*File, error) {
	f := &File{Name: name, file: r}
	if err := f.open(format); err != nil {
		return nil, f.explain(err)
	}
	return f, nil
}

// openError is the error of a system call with the file's name, without that of the call.
func openError(err error) error {
	var wrong *os.PathError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %w", wrong.Path, wrong.Err)
	}
	return err
}

// open finds the format and makes the reader. Gzip is found by its two first bytes.
func (f *File) open(format string) error {
	b := bufio.NewReaderSize(counter{f}, 1<<16)
	if head, _ := b.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return err
		}
		f.Gzip = true
		b = bufio.NewReaderSize(z, 1<<16)
	}
	if f.Format = format; format == "" {
		head, err := b.Peek(1 << 16)
		if err != nil && err != io.EOF {
			return err
		}
		if err := whole(head); err != nil {
			return err
		}
		f.Format = Detect(head)
	}
	switch f.Format {
	case Binary:
		return f.openBinary(b)
	case Text:
		return f.openBinary(raw.NewTextReader(b))
	case RoadRunner:
		f.Reader = roadrunner.NewReader(b)
	case STD:
		f.Reader = std.NewReader(b)
	default:
		return fmt.Errorf("unknown format %q (want %s)", format, strings.Join(Formats, ", "))
	}
	return nil
}

// whole refuses a file that ends before it tells its format, or any event: with nothing in it,
// nothing could be found.
func whole(head []byte) error {
	switch {
	case len(head) == 0:
		return errors.New("the file is empty")
	case len(head) < len(spec.Header) && strings.HasPrefix(spec.Header, string(head)):
		return errors.New("the file ends in its first line (is it whole?)")
	}
	return nil
}

// openBinary makes a reader of the binary format.
func (f *File) openBinary(r io.Reader) (err error) {
	f.binary, err = native.NewReader(r)
	f.Reader = f.binary
	return err
}

// counter reads a file and counts what was read.
type counter struct{ f *File }

func (c counter) Read(b []byte) (int, error) {
	n, err := c.f.file.Read(b)
	c.f.done.Add(int64(n))
	return n, err
}

// eventLine matches the beginning of a line that RoadRunner prints for an event.
var eventLine = regexp.MustCompile(
	`(?m)^@\s+(?:A?Rd|A?Wr|Acquire|Release|Start|Join|Enter|Exit|Dummy)\(`)

// Detect returns the format of a file that begins with head. The binary format and its text form
// begin with the same line; a chunk's first byte, or the zeros of a ring, tell them apart.
func Detect(head []byte) string {
	rest, ok := bytes.CutPrefix(head, []byte(spec.Header))
	if !ok {
		rest, ok = bytes.CutPrefix(head, []byte(spec.RingHeader))
	}
	if ok {
		if len(rest) == 0 || rest[0] == spec.Events || rest[0] == spec.Definitions || rest[0] == 0 {
			return Binary
		}
		return Text
	}
	if bytes.HasPrefix(head, []byte("commute trace ")) {
		return Binary // of another version
	}
	if eventLine.Match(head) {
		return RoadRunner
	}
	return STD
}

// Read reads the next events.
func (f *File) Read(events []event.Event) (int, error) {
	n, err := f.Reader.Read(events)
	return n, f.explain(err)
}

// explain puts the file's name before an error.
func (f *File) explain(err error) error {
	var at *trace.Error
	var line *raw.TextError
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.As(err, &at) && at.Line != 0, errors.As(err, &line):
		return fmt.Errorf("%s:%w", f.Name, err)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%s: %w (is the file whole?)", f.Name, err)
	case f.Gzip && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: gzip: %w (is the file whole?)", f.Name, err)
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// Validate validates the trace as it is read: see [trace.Validate].
func (f *File) Validate(mutexes *bool) { f.Reader = trace.Validate(f.Reader, mutexes) }

// WantCalls makes the reader collect the steps of calls, if the trace has any.
func (f *File) WantCalls() {
	if f.binary != nil {
		f.binary.WantCalls()
	}
}

// WantSections makes the reader collect the steps of critical sections, if the trace has any.
func (f *File) WantSections() {
	if f.binary != nil {
		f.binary.WantSections()
	}
}

// SectionSteps returns the steps of critical sections that were read since the last call of
// SectionSteps.
func (f *File) SectionSteps() []trace.SectionStep {
	if f.binary == nil {
		return nil
	}
	return f.binary.Sections()
}

// CallSteps returns the steps of calls that were read since the last call of CallSteps.
func (f *File) CallSteps() []trace.CallStep {
	if f.binary == nil {
		return nil
	}
	return f.binary.Calls()
}

// Done is the number of bytes read so far, of Size. It may be called while another goroutine reads.
func (f *File) Done() int64 { return f.done.Load() }

// Cut returns, after the end of a binary trace, the size of the part of the file that was not read:
// see [native.Reader.Cut].
func (f *File) Cut() (bytes int64, steps int) {
	if f.binary == nil {
		return 0, 0
	}
	return f.binary.Cut()
}

// Lost is the number of steps that a binary trace lacks at its beginning, if it keeps only the last
// ones: see [native.Reader.Lost].
func (f *File) Lost() uint64 {
	if f.binary == nil {
		return 0
	}
	return f.binary.Lost()
}

// Line is the line of the event with an index, from 0. It is known only for STD, where each line is
// an event.
func (f *File) Line(index uint64) (line uint64, ok bool) { return index + 1, f.Format == STD }

// Close closes the file. The reader of [New] stays open.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}
