// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// tryRapid has RAPID's AeroDrome look at the runs, as STD files. It stops at the first violation.
func (o *Options) tryRapid(r *recording) error {
	var all result
	found, failed := 0, 0
	for _, file := range r.files {
		std := strings.TrimSuffix(file, ".trace") + ".std"
		if err := simplify(file, std); err != nil {
			return err
		}
		x, err := o.execute([]int{0, 1}, "java", "-XX:+UseSerialGC", "-cp", o.Rapid, "Aerodrome",
			"-f", "std", "-p", std)
		if err != nil {
			return err
		}
		all.took += x.took
		all.timeout = all.timeout || x.timeout
		switch {
		case x.code != 0:
			failed++
		case strings.Contains(string(x.stdout), "\nAtomicity violation detected"):
			found++
		}
	}
	r.rapid = [2]string{fmt.Sprintf("violations in %d of %d", found, len(r.files)), all.seconds()}
	if failed > 0 {
		r.rapid[0] += fmt.Sprintf(", failed in %d", failed)
	}
	return nil
}

// simplify writes a recorded trace as STD, without what that can't say, which makes no conflict
// here: calls of specified methods, and what is no conflict of transactions.
func simplify(from, to string) (err error) {
	in, err := tracefile.Open(from, "")
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := tracefile.Create(to, tracefile.STD, 0, in.Tables())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	var batch [1024]event.Event
	for {
		n, err := in.Read(batch[:])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var kept []event.Event
		for _, e := range batch[:n] {
			if e.Flags&event.Silent != 0 || e.Op == event.Touch || e.Op == event.Split {
				continue
			}
			if e.Op == event.ReleaseMerge {
				e.Op = event.Release
			}
			kept = append(kept, e)
		}
		if err := out.Write(kept); err != nil {
			return err
		}
	}
}
