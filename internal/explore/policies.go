// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"slices"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// asked are the policies that may be asked for.
var asked = [...]engine.Policy{engine.Forced, engine.Random, engine.Again, engine.Tx, engine.Surw,
	engine.Pos, engine.Pair}

// ParsePolicies reads the value of -explore_policy: names with commas between.
func (p *Plan) ParsePolicies(value string) error {
	var names []string
	for _, p := range asked {
		names = append(names, p.String())
	}
	given := strings.Split(value, ",")
	for i, name := range given {
		if !slices.Contains(names, name) {
			return fmt.Errorf("-explore_policy=%s: %q is no policy (there are %s)", value, name,
				strings.Join(names, ", "))
		}
		if slices.Contains(given[:i], name) {
			return fmt.Errorf("-explore_policy=%s: %s is there twice", value, name)
		}
	}
	p.Policies = value
	return nil
}

// given are the policies that the plan asks for, nil for the usual ones.
func (p *Plan) given() (list []engine.Policy) {
	if p.Policies == "" {
		return nil
	}
	for name := range strings.SplitSeq(p.Policies, ",") {
		if policy, ok := engine.PolicyOf(name); ok {
			list = append(list, policy)
		}
	}
	return list
}

// policies reports whether the plan has a policy.
func (p *Plan) policies(policy engine.Policy) bool {
	return p.Policies == "" || slices.Contains(p.given(), policy)
}

// draws reports whether the plan has policies that draw.
func (p *Plan) draws() bool { return len(p.rotation()) > 0 }

// rotation is the order in which policies that draw take turns. Where some order of operations is
// missing, Pair takes those of Random.
func (p *Plan) rotation() []engine.Policy {
	if p.Policies == "" {
		list := slices.Clone(rotation[:])
		for i, p := range list {
			if p == engine.Random {
				list[i] = engine.Pair
			}
		}
		return list
	}
	return slices.DeleteFunc(p.given(), func(p engine.Policy) bool { return p == engine.Forced })
}

// instead is the policy that takes the i-th turn in place of Pair, if no order is missing.
func (p *Plan) instead(i int) engine.Policy {
	others := rotation[:]
	if p.Policies != "" {
		others = slices.DeleteFunc(p.rotation(),
			func(p engine.Policy) bool { return p == engine.Pair })
	}
	if len(others) == 0 {
		return engine.Random
	}
	return others[i%len(others)]
}
