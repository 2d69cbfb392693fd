// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// writeFn writes the output. If it is repeated, it writes the same once more.
type writeFn struct {
	Out string
}

func (fn *writeFn) ProcessElement(ctx context.Context, _ int, found, traces func(*[]byte) bool,
) error {
	lines, err := decodeAll[*Line](found)
	if err != nil {
		return err
	}
	infos, err := decodeAll[traceInfo](traces)
	if err != nil {
		return err
	}
	return writeLines(ctx, fn.Out, linesOf(lines, infos))
}

// writeLines writes lines into a file.
func writeLines[L any](ctx context.Context, name string, lines []L) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	out, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(out)
	e := json.NewEncoder(b)
	for _, l := range lines {
		if err := e.Encode(l); err != nil {
			out.Close()
			return err
		}
	}
	return errors.Join(b.Flush(), out.Close())
}

func decodeAll[T any](next func(*[]byte) bool) (list []T, err error) {
	for data := []byte(nil); next(&data); {
		var v T
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// Read reads what a pipeline has written, the summary last. Each line is handed to take as it was
// written, too.
func Read(ctx context.Context, name string, take func(*Line, []byte) error) (*Summary, error) {
	return readLines(ctx, name, func(l *Line, data []byte) (*Summary, error) {
		return l.Summary, take(l, data)
	})
}

// readLines reads lines. Take returns the summary at the last one, nil before.
func readLines[L, S any](ctx context.Context, name string, take func(*L, []byte) (*S, error),
) (*S, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := bufio.NewReader(in)
	for {
		data, err := b.ReadBytes('\n')
		if err == io.EOF {
			return nil, io.ErrUnexpectedEOF // there was no summary
		}
		if err != nil {
			return nil, err
		}
		l := new(L)
		if err := json.Unmarshal(data, l); err != nil {
			return nil, err
		}
		if summary, err := take(l, data); err != nil || summary != nil {
			return summary, err
		}
	}
}
