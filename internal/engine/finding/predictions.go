// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/tests"
)

// charging is not 0 while a goroutine charges tests with a prediction. A goroutine that asks
// meanwhile how much was found has to wait.
var charging atomic.Uint32

// Predictions reports all that package predict has found. When it returns, tests are charged with
// it.
//
// Each goroutine that ends asks, often with no more stack than it has begun with. So what follows,
// which needs much of it, has a function of its own.
func Predictions() {
	if instance.Predictor.Found() || charging.Load() != 0 {
		reportPredictions()
	}
}

func reportPredictions() {
	for instance.Predictor.Found() || charging.Load() != 0 {
		option.Ready()
		found.lock.Lock()
		charging.Add(1)
		p, ok := instance.Predictor.Collect()
		if !ok {
			charging.Add(^uint32(0))
			found.lock.Unlock()
			return
		}
		c := cycleOf(&p)
		posted := chargeCycle(&c, tests.TestOf(p.First.Owner), tests.TestOf(p.Other.Owner))
		charging.Add(^uint32(0))
		found.lock.Unlock()
		if posted {
			Wake()
		}
	}
}

// cycleOf is the cycle that a prediction would be, had it happened.
func cycleOf(p *predict.Prediction) atomicity.Cycle {
	c := atomicity.Cycle{
		Code: report.CodeOf(p.First.Code), Goid: p.First.Goid, N: 2,
		Predicted: true, ValuesDiffer: p.ValuesDiffer, OtherReads: p.OtherReads,
	}
	addr := [...]uintptr{p.FirstAddr, p.Addr}
	for i, sides := range [...][2]*predict.Access{{&p.First, &p.Entry}, {&p.Other, &p.Second}} {
		a, b := sides[0], sides[1]
		c.Edges[i] = atomicity.Edge{
			Kind: atomicity.Memory, Addr: addr[i], From: a.Epoch, To: b.Epoch, FromGoid: a.Goid,
			ToGoid:   b.Goid,
			FromSite: a.Site, ToSite: b.Site, FromWrites: a.Writes, ToWrites: b.Writes,
		}
		c.From[i], c.To[i] = report.CodeOf(a.Code), report.CodeOf(b.Code)
	}
	return c
}
