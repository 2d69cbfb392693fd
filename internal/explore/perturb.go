// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os/exec"
	"strconv"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// Where schedules can't be controlled, they are perturbed: a run is a process in which goroutines
// are held up at random, by a seed. The same seed makes no more than a similar schedule.

// triedAgain is how often a run that fails is made again, to see how often it does.
const triedAgain = 10

// A perturbed is what has become of a test whose schedules were perturbed.
type perturbed struct {
	test    string
	runs    int
	failure *disturbance // nil if no run has failed
	elapsed time.Duration
}

// A disturbance is a perturbed run that has failed.
type disturbance struct {
	Failure
	seed  uint64
	again int // of tries by the same seed, so many have failed
	tries int
}

// perturbAll perturbs tests, and returns the exit code.
func perturbAll(b *Binary, plan Plan, tests []string, w *writer) (int, error) {
	var lines []string
	verdict, code := "PASS", 0
	for _, test := range tests {
		w.begin(test)
		p, err := perturb(b, plan, test)
		if err != nil {
			return 0, err
		}
		w.perturbed(p, plan)
		if lines = append(lines, p.line()); p.failure == nil {
			continue
		}
		if verdict, code = "FAIL", exitFailed; plan.Fast {
			break
		}
	}
	if plan.Told != "" {
		if err := tell(plan.Told, lines); err != nil {
			return 0, err
		}
	}
	if len(tests) == 0 {
		fmt.Fprintln(w.out, "testing: warning: no tests to run")
	}
	fmt.Fprintln(w.out, w.mark+verdict)
	return code, nil
}

// perturb runs a test by as many seeds as the plan says, until it fails.
func perturb(b *Binary, plan Plan, test string) (*perturbed, error) {
	p := &perturbed{test: test}
	start := time.Now()
	late := func() bool { return plan.Time > 0 && time.Since(start) > plan.Time }
	for i := 0; p.failure == nil && (i == 0 || !late()) && (plan.Runs == 0 || i < plan.Runs); i++ {
		seed := perturbSeed(plan.Base, test, i)
		failed, err := b.perturbed(plan, test, seed)
		if err != nil {
			return nil, err
		}
		p.runs++
		if failed != nil {
			failed.Run = p.runs
			p.failure = &disturbance{Failure: *failed, seed: seed}
		}
	}
	p.elapsed = time.Since(start)
	start = time.Now()
	f := p.failure
	for f != nil && !f.late() && f.tries < triedAgain && (f.tries == 0 || !late()) {
		failed, err := b.perturbed(plan, test, f.seed)
		if err != nil {
			return nil, err
		}
		if f.tries++; failed != nil {
			f.again++
		}
	}
	return p, nil
}

// late reports whether the run has lasted for too long. It is not worth while to wait for that
// again.
func (f *disturbance) late() bool {
	return f.Killed || bytes.Contains(f.Output, []byte("panic: test timed out after "))
}

// perturbSeed is the seed of the i-th run of a test. That of the first is the plan's base: so a run
// can be made by a seed.
func perturbSeed(base uint64, test string, i int) uint64 {
	if i == 0 {
		return base
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", base, test, i)
	return engine.Mix(h.Sum64()) >> (64 - seedBits)
}

// perturbed runs a test once by a seed, in a process. It returns nil if it doesn't fail.
func (b *Binary) perturbed(plan Plan, test string, seed uint64) (*Failure, error) {
	_, rest := splitPattern(b.Run)
	args := append([]string(nil), b.Flags...)
	args = append(args, "-test.run=^"+test+"$"+rest, "-test.timeout="+plan.Timeout.String())
	ctx, cancel := stopped, context.CancelFunc(func() {})
	if plan.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, plan.Timeout+10*time.Second)
	}
	defer cancel()
	cmd := b.command(ctx, append(args, b.Args...)...)
	cmd.Cancel = func() error { return endProcess(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(b.environ(), "COMMUTE_EXPLORE=perturb-"+strconv.FormatUint(seed, 16))
	out, err := cmd.CombinedOutput()
	if stopped.Err() != nil {
		return nil, errStopped
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &exit) && ctx.Err() == nil:
		return nil, err
	}
	return &Failure{Output: out, Killed: ctx.Err() != nil}, nil
}

// perturbed writes what package testing would, of a test whose schedules were perturbed.
func (w *writer) perturbed(p *perturbed, plan Plan) {
	f := p.failure
	switch {
	case f == nil && w.verbose:
		fmt.Fprintf(w.out, "%s--- PASS: %s (%.2fs)\n    %s\n", w.mark, p.test, p.elapsed.Seconds(),
			p.line())
	case f != nil:
		of := ""
		if plan.Runs > 0 {
			of = fmt.Sprintf(" of %d", plan.Runs)
		}
		fmt.Fprintf(w.out, "%s--- FAIL: %s (perturbed: run %d%s)\n", w.mark, p.test, f.Run, of)
		for line := range bytes.Lines(f.body(p.test)) {
			fmt.Fprintf(w.out, "    %s", line)
		}
		if f.Killed {
			fmt.Fprintf(w.out, "    the process was ended after %v: see -timeout\n", plan.Timeout)
		}
		if f.tries > 0 {
			fmt.Fprintf(w.out, "    it has failed again in %d of %s by the same seed: such a run "+
				"can't be replayed exactly\n", f.again, count(f.tries, "run"))
		}
		flag := ""
		if plan.Asked {
			flag = "-explore_perturb "
		}
		fmt.Fprintf(w.out, "    begin with that seed: commute test -explore %s-explore_seed=%d -run "+
			"'^%s$' %s\n", flag, f.seed, p.test, plan.Package)
	}
}

// line says in one line what has become of a test.
func (p *perturbed) line() string {
	text := fmt.Sprintf("perturbed %s: %s", p.test, count(p.runs, "run"))
	if p.failure != nil {
		text += "; it fails"
	}
	return text
}
