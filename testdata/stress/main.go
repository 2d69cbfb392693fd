// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command stress has many goroutines use memory that is protected in every way that Go has, for some time:
//
//	go run -race . -duration 60s
//
// It has no data race under any schedule, and sees for itself that no change is lost and nothing is torn: it panics if
// so. While it runs, GOMAXPROCS changes between 1 and 8. With -racy, every so often an access is made without its
// protection, and nothing else is different: those are what a detector has to find. The program itself is content then,
// too.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	var o options
	var names string
	flag.DurationVar(&o.duration, "duration", 10*time.Second, "how long to run")
	flag.IntVar(&o.goroutines, "goroutines", 16, "how many goroutines choose what to do; some of that starts others")
	flag.Uint64Var(&o.seed, "seed", 0, "of the random numbers (default: from the time)")
	flag.StringVar(&names, "kinds", "", "comma-separated `names` of what to do (default: all)")
	flag.BoolVar(&o.racy, "racy", false, "leave out the protection of an access every so often")
	flag.Parse()
	if flag.NArg() > 0 || o.goroutines < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if o.seed == 0 {
		o.seed = uint64(time.Now().UnixNano())
	}
	var err error
	if o.kinds, err = choose(names); err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(2)
	}
	fmt.Printf("stress: %v, %d goroutines, -seed %d\n", o.duration, o.goroutines, o.seed)
	run(o).print(os.Stdout)
}

// choose returns the kinds of a comma-separated list of names.
func choose(names string) ([]kind, error) {
	if names == "" {
		return kinds, nil
	}
	var chosen []kind
next:
	for name := range strings.SplitSeq(names, ",") {
		for _, k := range kinds {
			if k.name == name {
				chosen = append(chosen, k)
				continue next
			}
		}
		var known []string
		for _, k := range kinds {
			known = append(known, k.name)
		}
		return nil, fmt.Errorf("no kind %q; there are %s", name, strings.Join(known, ", "))
	}
	return chosen, nil
}
