// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"slices"
	"strings"
)

// potential writes what could come between two parts of a transaction, and the order.
func (r *Finding) potential(b *strings.Builder) {
	fmt.Fprintf(b, "potential %s: %v is not serializable in another order of events\n", r.Kind,
		r.transaction(0))
	if len(r.Nodes) == 2 {
		fmt.Fprintf(b, "\t%s\n", r.between())
	}
	if r.Witness != nil {
		r.Witness.write(b)
	}
}

// between says between what others can come.
func (r *Finding) between() string {
	out, in := &r.Nodes[0], &r.Nodes[1]
	thread := out.From.Thread
	others := r.others()
	if others == "" {
		others = "another thread"
	}
	if out.Lock != "" && out.Lock == in.Lock {
		return fmt.Sprintf("%s lets %s go at %s and takes it again at %s; %s can come between",
			thread, out.Lock, out.To.At, in.From.At, others)
	}
	return fmt.Sprintf("%s can come between %v and %v", others, out.To, in.From)
}

// others are the threads that can come between.
func (r *Finding) others() string {
	var names []string
	for _, u := range r.Units {
		if !slices.Contains(names, u.Thread) {
			names = append(names, u.Thread)
		}
	}
	return strings.Join(names, ", ")
}

// deadlock writes what each thread holds and wants.
func (r *Finding) deadlock(b *strings.Builder) {
	fmt.Fprintf(b, "potential deadlock: in another order of events each of %d threads waits for "+
		"the next\n", len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		fmt.Fprintf(b, "\t%s holds %s from %s (event %d) and wants %s at %s (event %d)\n",
			n.From.Thread, n.Lock, n.From.At, n.From.Number, n.To.Target, n.To.At, n.To.Number)
	}
}
