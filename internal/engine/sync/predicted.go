// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
)

var predictThreads offheap.Slab[predict.Thread]

// Predicted is the goroutine's part in predictions. It is made if there is none: few programs make
// predictions, and they have many goroutines.
func Predicted(g *Thread) *predict.Thread {
	if g.predict.Nil() {
		p := predictThreads.Get()
		*p = predict.Thread{}
		g.predict = offheap.To(p)
	}
	return g.predict.P()
}

// OtherEvent notes an event that a witness may have no place for.
func OtherEvent(g *Thread) {
	if p := g.predict.P(); p != nil {
		p.OtherEvent()
	}
}

// EndPredicted ends the goroutine's part in predictions.
func EndPredicted(g *Thread) {
	if p := g.predict.P(); p != nil {
		instance.Predictor.End(p)
	}
}
