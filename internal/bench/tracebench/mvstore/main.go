// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command mvstore is a key-value store under load. It stands for H2 in the analogue of table 2 of
// Dimitrov, Raychev, Vechev and Koskinen, "Commutativity Race Detection" (PLDI 2014), section 7.
//
//	mvstore -circuit ComplexConcurrency -operations 20000
//
// Input: the name of a circuit, which is a mix of operations by some clients; the number of
// operations; a seed. Output: an object in JSON with the time that they took, and the harm that was
// done. -list prints the circuits.
//
// # Terms
//
//	version   a state of all tables; readers see one version, without a lock
//	page      the rows of some consecutive keys; it is copied to be changed
//	dirty     of a page: it is in memory only
//	commit    the dirty pages are appended to the file, as one chunk
//	dead      of a chunk: no page in it belongs to a recent version
//	harm      a chunk that was read twice, or space that is never freed
//
// As in H2's MVStore, chunks and the pages that each version has freed are in concurrent maps
// (sync.Map). They are used as H2 1.3.174 used them, with the two faults that the paper reports:
// the program checks, and then acts (Store.chunks, Store.freed). There is no data race, and no
// answer is wrong; but there is harm. Other concurrent maps are used well (Store.tables).
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

// A Report is what is printed.
type Report struct {
	Circuit     string
	Clients     int
	Operations  uint64
	Nanoseconds int64 // of the operations
	Harm
}

func main() {
	name := flag.String("circuit", "ComplexConcurrency", "")
	operations := flag.Uint64("operations", 20000, "")
	seed := flag.Uint64("seed", 1, "")
	list := flag.Bool("list", false, "")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	if *list {
		for _, c := range circuits {
			_ = out.Encode(Report{Circuit: c.name, Clients: c.clients})
		}
		return
	}
	for i := range circuits {
		if c := &circuits[i]; c.name == *name {
			r, err := measure(c, *operations, *seed)
			if err == nil {
				err = out.Encode(r)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintf(os.Stderr, "mvstore: there is no circuit %q; -list prints those there are\n", *name)
	os.Exit(2)
}

// measure runs a circuit on a new store, with what was there before in the file.
func measure(c *circuit, operations, seed uint64) (Report, error) {
	s := NewStore(500)
	c.prepare(s)
	s.Commit()
	s.Forget()
	start := time.Now()
	err := c.run(s, operations, seed)
	took := time.Since(start)
	return Report{c.name, c.clients, operations, took.Nanoseconds(), s.Harm()}, err
}
