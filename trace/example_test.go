// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/trace"
)

// deposit is a trace in STD: a thread, an operation, and a line of the source in each line. Every
// access to the balance is under the lock, and still the deposit of T1 loses that of T2.
const deposit = `T1|begin|1
T1|acq(L)|2
T1|r(balance)|3
T1|rel(L)|4
T2|acq(L)|12
T2|w(balance)|13
T2|rel(L)|14
T1|acq(L)|5
T1|w(balance)|6
T1|rel(L)|7
T1|end|8
`

func ExampleCheck() {
	r, err := trace.NewReader(strings.NewReader(deposit), "deposit.std")
	if err != nil {
		log.Fatal(err)
	}
	found, err := trace.Check(r, trace.Options{Checks: []string{"velodrome", "hb"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Events, "events")
	for _, f := range found.Findings() {
		fmt.Print(f.Text())
	}
	// Output:
	// 11 events
	// deposit.std:8: velodrome: atomicity violation: T1: transaction 1 (from event 1, at 1) is not serializable
	// 	T1: transaction 1 (from event 1, at 1)
	// 		T1: release L (event 4, at 4)
	// 		before T2: acquire L (event 5, at 12)
	// 	T2: event 5 alone, at 12
	// 		T2: acquire L (event 5, at 12)
	// 		before T2: release L (event 7, at 14)
	// 	T2: event 7 alone, at 14
	// 		T2: release L (event 7, at 14)
	// 		before T1: acquire L (event 8, at 5)
}

func ExampleReader_Read() {
	r, err := trace.NewReader(strings.NewReader(deposit), "deposit.std")
	if err != nil {
		log.Fatal(err)
	}
	writes := make(map[string]int)
	for {
		e, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if e.Op == trace.Write {
			writes[e.Target]++
			fmt.Printf("%v, at line %s\n", e, e.Pos)
		}
	}
	fmt.Println(r.Format(), writes)
	// Output:
	// T2: write balance, at line 13
	// T1: write balance, at line 6
	// std map[balance:2]
}

// A trace can have calls of an object's methods, by the access points that they touch. Here two
// threads put something under one key, and nothing orders that.
func ExampleNewWriter() {
	dir, err := os.MkdirTemp("", "trace")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "puts.trace")
	file, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	w, err := trace.NewWriter(file, trace.Binary)
	if err != nil {
		log.Fatal(err)
	}
	err = w.Conflict("put", "put")
	for _, e := range []trace.Event{
		{Op: trace.Fork, Thread: "main", Target: "T1", Pos: "main.go:10"},
		{Op: trace.Fork, Thread: "main", Target: "T2", Pos: "main.go:10"},
		{Op: trace.Touch, Thread: "T1", Target: "cache[7]", Point: "put", Pos: "main.go:21"},
		{Op: trace.Touch, Thread: "T2", Target: "cache[7]", Point: "put", Pos: "main.go:21"},
	} {
		err = errors.Join(err, w.Write(e))
	}
	if err := errors.Join(err, w.Close(), file.Close()); err != nil {
		log.Fatal(err)
	}

	r, err := trace.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	found, err := trace.Check(r, trace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found.Findings() {
		fmt.Printf("%s: %v\n", f.Kind, f.At)
		fmt.Println(f.Previous)
	}
	// Output:
	// commutativity race: T2: touch cache[7].put (event 4, at main.go:21)
	// T1: touch cache[7].put (event 3, at main.go:21)
}

func ExampleError() {
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, trace.STD)
	if err != nil {
		log.Fatal(err)
	}
	err = w.Write(trace.Event{Op: trace.Release, Thread: "T1", Target: "L"})
	var wrong *trace.Error
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Event, wrong.Text)
	}
	r, err := trace.NewReader(strings.NewReader("T1|read(x)|1\n"), "x.std")
	if err != nil {
		log.Fatal(err)
	}
	_, err = r.Read()
	fmt.Println(err)
	// Output:
	// 1 T1: release L: the thread doesn't hold the lock
	// x.std:1:4: unknown operation "read(x)" (want r, w, acq, rel, fork or join with a name in parentheses, or begin or end)
}

func ExampleChecks() {
	fmt.Println(strings.Join(trace.Checks(), " "))
	// Output:
	// frontier velodrome transactions predictions avp aerodrome aerodrome-basic forest-conflict forest-view block reduction goodlock hb fasttrack commute calls sections metainfo
}
