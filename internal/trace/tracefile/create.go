// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/native"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/roadrunner"
	"github.com/commutego/commute/internal/trace/std"
	"github.com/klauspost/compress/gzip"
)

// An Output is a trace that is written. Its Close closes the file.
type Output struct {
	w     trace.Writer
	name  string
	close []func() error // the calls that finish the file, in reverse order
	temp  string         // the file's name until it is whole; "" if it is not a regular file
}

// FormatOf is the format of a file by its name: by its extension before .gz, and otherwise binary.
func FormatOf(name string) string {
	switch filepath.Ext(strings.TrimSuffix(name, ".gz")) {
	case ".std":
		return STD
	case ".rr":
		return RoadRunner
	case ".txt":
		return Text
	}
	return Binary
}

// Create makes a file, or writes to standard output if the name is "-". The format may be "". The
// codec is for binary files. A name that ends in .gz makes a compressed file. The file gets its
// name when it is closed without an error: no one reads half a trace by mistake.
func Create(name, format string, codec byte, tables *trace.Tables) (*Output, error) {
	if format == "" {
		format = FormatOf(name)
	}
	o := &Output{name: name}
	file := os.Stdout
	if name == "-" {
		o.name = "standard output"
	} else {
		var err error
		if info, e := os.Stat(name); e == nil && !info.Mode().IsRegular() {
			file, err = os.OpenFile(name, os.O_WRONLY, 0) // a device, a pipe
		} else {
			o.temp = name + ".part"
			file, err = os.Create(o.temp)
		}
		if err != nil {
			return nil, openError(err)
		}
		o.close = append(o.close, file.Close)
	}
	b := bufio.NewWriterSize(file, 1<<18)
	o.close = append(o.close, b.Flush)
	w := io.Writer(b)
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(w)
		o.close = append(o.close, z.Close)
		w = z
	}
	if err := o.open(w, format, codec, tables); err != nil {
		o.Discard()
		return nil, err
	}
	return o, nil
}

// NewOutput writes to w, which stays open. Errors use the name as the file's name.
func NewOutput(w io.Writer, name, format string, codec byte, tables *trace.Tables) (*Output,
	error) {
	o := &Output{name: name}
	b := bufio.NewWriterSize(w, 1<<16)
	o.close = append(o.close, b.Flush)
	if err := o.open(b, format, codec, tables); err != nil {
		return nil, err
	}
	return o, nil
}

// open makes the writer of a format. The text form is printed by a goroutine from the binary one;
// Close waits for it.
func (o *Output) open(w io.Writer, format string, codec byte, tables *trace.Tables) (err error) {
	switch format {
	case Binary:
		o.w, err = native.NewWriter(w, tables, codec)
	case Text:
		r, p := io.Pipe()
		done := make(chan error)
		go func() {
			binary, err := raw.NewReader(r)
			if err == nil {
				err = raw.Print(w, binary)
			}
			r.CloseWithError(err)
			done <- err
		}()
		o.close = append(o.close, func() error { p.Close(); return <-done })
		o.w, err = native.NewWriter(p, tables, codec)
	case RoadRunner:
		o.w = roadrunner.NewWriter(w, tables)
	case STD:
		o.w = std.NewWriter(w, tables)
	default:
		err = fmt.Errorf("unknown format %q (want %s)", format, strings.Join(Formats, ", "))
	}
	return err
}

// Write writes events.
func (o *Output) Write(events []event.Event) error {
	if err := o.w.Write(events); err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return nil
}

// Close writes the rest of the trace and closes the file.
func (o *Output) Close() error {
	err := o.w.Close()
	if e := o.closeAll(); err == nil {
		err = e
	}
	if err == nil && o.temp != "" {
		err = os.Rename(o.temp, o.name)
	}
	if err != nil {
		o.remove()
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return nil
}

// Discard closes the file and removes it.
func (o *Output) Discard() {
	o.closeAll()
	o.remove()
}

// remove removes the file that is not whole.
func (o *Output) remove() {
	if o.temp != "" {
		os.Remove(o.temp)
	}
}

// closeAll makes the calls of o.close, the last one first, and returns all errors.
func (o *Output) closeAll() error {
	var errs []error
	for len(o.close) > 0 {
		last := len(o.close) - 1
		errs = append(errs, o.close[last]())
		o.close = o.close[:last]
	}
	return errors.Join(errs...)
}
