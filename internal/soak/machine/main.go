// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package machine

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/commutego/commute/internal/soak/plan"
)

// Main is the main function of a program with these sites. It prints a line for each round.
func Main(sites *Sites) {
	if len(os.Args) == 2 && os.Args[1] == Say {
		fmt.Println("said")
		return
	}
	var c Config
	c.Flags(flag.CommandLine)
	forever := flag.Duration("memory", 0,
		"do rounds for that long, and print every tenth of it how much memory is resident")
	flag.Parse()
	if *forever > 0 {
		c.endure(sites, *forever)
		return
	}
	plans, err := c.Plans()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, line := range c.runAll(plans, sites, false) {
		fmt.Println(line)
	}
}

// A Config says which rounds a run of the machine has.
type Config struct {
	Seed    uint64
	Rounds  int
	Lanes   int
	Only    uint64 // the seed of the one round to do; 0: all
	Without string // parts to leave out of it
	Options plan.Options
}

// Flags registers the flags that set c.
func (c *Config) Flags(f *flag.FlagSet) {
	f.Uint64Var(&c.Seed, "seed", 1, "the seed of the rounds")
	f.IntVar(&c.Rounds, "rounds", 1000, "how many rounds at most; so many as there are sites for")
	f.IntVar(&c.Lanes, "lanes", 1, "how many rounds at once")
	f.Uint64Var(&c.Only, "only", 0, "the one round to do")
	f.StringVar(&c.Without, "without", "", "parts of the plan to leave out")
	f.BoolVar(&c.Options.Silent, "silent", false, "only plans in which everything is ordered")
	f.BoolVar(&c.Options.Common, "common", false, "no rare kinds")
}

// Args are the flags that make a c.
func (c *Config) Args() []string {
	args := []string{
		"-seed=" + strconv.FormatUint(c.Seed, 10), "-rounds=" + strconv.Itoa(c.Rounds), "-lanes=" +
			strconv.Itoa(c.Lanes),
		"-silent=" + strconv.FormatBool(c.Options.Silent), "-common=" +
			strconv.FormatBool(c.Options.Common),
	}
	if c.Only != 0 {
		args = append(args, "-only="+strconv.FormatUint(c.Only, 10), "-without="+c.Without)
	}
	return args
}

// Plans are the plans of the rounds.
func (c *Config) Plans() ([]*plan.Plan, error) {
	plans := plan.Batch(c.Seed, c.Rounds, c.Options, false)
	if c.Only == 0 {
		return plans, nil
	}
	for _, p := range plans {
		if p.Seed != c.Only {
			continue
		}
		if c.Without == "" {
			return []*plan.Plan{p}, nil
		}
		q, err := p.Without(strings.Split(c.Without, ","))
		return []*plan.Plan{q}, err
	}
	return nil, fmt.Errorf("seed %d has no round %d", c.Seed, c.Only)
}

// runAll does the rounds, some at once, and returns their lines in their order.
func (c *Config) runAll(plans []*plan.Plan, sites *Sites, again bool) []string {
	lines := make([]string, len(plans))
	var all sync.WaitGroup
	for lane := range c.Lanes {
		all.Go(func() {
			for i := lane; i < len(plans); i += c.Lanes {
				lines[i] = run(plans[i], sites, again)
			}
		})
	}
	all.Wait()
	return lines
}

// endure does rounds in which nothing is to be reported, again and again.
func (c *Config) endure(sites *Sites, long time.Duration) {
	c.Options.Silent = true
	start := time.Now()
	rounds := 0
	for tenth := range 10 {
		for time.Since(start) < long*time.Duration(tenth+1)/10 {
			plans := plan.Batch(c.Seed+uint64(rounds), 20, c.Options, true)
			for _, line := range c.runAll(plans, sites, true) {
				if !strings.HasSuffix(line, " 0 wrong") {
					fmt.Println(line)
				}
			}
			rounds += len(plans)
		}
		runtime.GC()
		fmt.Printf("memory: %d rounds, %d KB\n", rounds, resident())
	}
}

// resident is the memory of this process that is resident, in KB; 0 where Linux's /proc is not.
func resident() int {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			n, _ := strconv.Atoi(string(bytes.Fields(rest)[0]))
			return n
		}
	}
	return 0
}
