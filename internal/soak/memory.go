// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commutego/commute/internal/soak/machine"
)

// memoryLine is a line about its memory that the machine prints now and then.
var memoryLine = regexp.MustCompile(`^memory: (\d+) rounds, (\d+) KB$`)

// enduring is how long a process has to level off: 40 seconds, or a sixth of the time that there
// is.
func enduring() time.Duration { return min(40*time.Second, *length/6) }

// endure has one process execute plans for a while, in which there is nothing to report.
func (s *soak) endure(seed uint64) error {
	if err := s.prepare(); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 2))
	m := s.machine[[]string{"datarace", "datarace", "commute"}[r.IntN(3)]]
	c := machine.Config{Seed: r.Uint64() >> 24, Rounds: 1000, Lanes: 1 << r.IntN(4)}
	c.Options.Common = r.IntN(3) > 0
	procs := 1 + r.IntN(8)
	long := enduring()
	o, err := execute(m.binary, append(c.Args(), "-memory="+long.String()), procs, *deadline+2*long)
	if err != nil {
		return err
	}
	s.runs++
	samples, rounds, mistakes := endured(o)
	s.rounds += rounds
	s.memory = append(s.memory,
		fmt.Sprintf("memory of one process, %s: %d rounds, after each tenth %v MB",
			m.build.name, rounds, megabytes(samples)))
	if len(mistakes) > 0 {
		return s.fail(failure{m, c, procs, nil, o, mistakes})
	}
	return nil
}

// endured lists the mistakes of a process that has executed plans for a while, and the samples of
// its memory, in KB.
func endured(o outcome) (samples []int, rounds int, mistakes []mistake) {
	for line := range strings.Lines(o.stdout) {
		line = strings.TrimSuffix(line, "\n")
		if m := memoryLine.FindStringSubmatch(line); m != nil {
			rounds, _ = strconv.Atoi(m[1])
			n, _ := strconv.Atoi(m[2])
			samples = append(samples, n)
		} else {
			mistakes = append(mistakes, mistake{-1, "stdout", line})
		}
	}
	switch {
	case o.timeout:
		mistakes = append(mistakes, mistake{-1, "deadlock", "it has not ended by the deadline"})
	case o.status != 0:
		mistakes = append(mistakes, mistake{-1, "exit status", fmt.Sprintf("%d, want 0", o.status)})
	}
	if o.stderr != "" {
		mistakes = append(mistakes, mistake{-1, "stderr", o.stderr})
	}
	if !levels(samples) {
		text := fmt.Sprintf("it grows: %v MB after each tenth of %d rounds", megabytes(samples),
			rounds)
		mistakes = append(mistakes, mistake{-1, "memory", text})
	}
	return samples, rounds, mistakes
}

// levels reports whether memory has stopped growing, but for chance: the last third of the samples
// is not much more than the third before.
func levels(samples []int) bool {
	if len(samples) < 10 {
		return false
	}
	const slack = 8 << 10 // KB
	before, last := slices.Max(samples[3:6]), slices.Max(samples[7:])
	return last <= before+before/5+slack
}

func megabytes(samples []int) []int {
	mb := make([]int, len(samples))
	for i, n := range samples {
		mb[i] = n >> 10
	}
	return mb
}
