// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"strconv"
	"strings"
)

// A Shard is a part of the runs: the Index-th of Of parts, counted from 1. The zero Shard is all.
type Shard struct{ Index, Of int }

// mostShards is how many parts there may be.
const mostShards = 1 << 16

// ParseShard reads a shard as in 2/8.
func ParseShard(text string) (Shard, error) {
	i, n, _ := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if err1 != nil || err2 != nil || index < 1 || index > of || of > mostShards {
		return Shard{}, fmt.Errorf("-explore_shard=%s: want the part and how many there are, as in "+
			"-explore_shard=1/4, and -explore_shard=4/4 for the last", text)
	}
	return Shard{index, of}, nil
}

// String is the shard as ParseShard reads it, "" for all.
func (s Shard) String() string {
	if !s.split() {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// of is a text about no schedule, of this part.
func (s Shard) of(text string) string {
	if !s.split() {
		return text
	}
	return strings.Replace(text, "no schedule", "no schedule of shard "+s.String(), 1)
}

// split reports whether there are other parts.
func (s Shard) split() bool { return s.Of > 1 }

// has reports whether the i-th of some runs, counted from 0, is in the part.
func (s Shard) has(i int) bool { return !s.split() || i%s.Of == s.Index-1 }
