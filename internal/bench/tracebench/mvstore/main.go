// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command mvstore is a key-value store under load: what stands for H2 in the analogue of table 2 of
// Dimitrov, Raychev, Vechev and Koskinen, "Commutativity Race Detection" (PLDI 2014), section 7.
//
//	mvstore -circuit ComplexConcurrency -operations 20000
//
// As H2's MVStore, it keeps versions: readers read the last one without a lock, writers copy what
// they change, and a commit appends what has changed to the file as a chunk. Its chunks, and what
// each version has freed, are in concurrent maps (sync.Map), and those are used as H2 1.3.174 used
// them, with the two faults that the paper tells of: they check, and then act (Store.chunks,
// Store.freed). There is no data race, and no answer is wrong; but chunks are read twice, and space
// is lost. What else is in concurrent maps is used well (Store.tables).
//
// Input: the name of a circuit, which is a mix of operations by some clients; how many operations;
// a seed. Output: an object in JSON with how long they took, and the harm that was done. -list
// prints the circuits.
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
