// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracefile

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/validate"
)

// CheckRecords checks the records of a binary file that are not events: see package validate. It
// reads the file again, so it does nothing for standard input.
func CheckRecords(name, format string) error {
	f, err := os.Open(name)
	if err != nil || name == "-" {
		return nil
	}
	defer f.Close()
	head := make([]byte, len(spec.Header)+1)
	if _, err := io.ReadFull(f, head); err != nil || Detect(head) != Binary ||
		format != "" && format != Binary {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := raw.NewReader(bufio.NewReaderSize(f, 1<<16))
	if err == nil {
		err = validate.Check(r)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
