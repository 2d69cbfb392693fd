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
	if p := g.predict.P(); p != nil {
		return p
	}
	return makePredicted(g)
}

// makePredicted makes it. It is apart from Predicted, so that that is inlined.
//
//go:noinline
func makePredicted(g *Thread) *predict.Thread {
	p := predictThreads.Get()
	*p = predict.Thread{}
	g.predict = offheap.To(p)
	return p
}

// NotedLock notes a lock that g has taken, and reports true, where nothing is predicted, and
// nothing has to be said of the lock.
func NotedLock(g *Thread, addr uintptr, read bool) bool {
	p := g.predict.P()
	return predict.Quiet(&instance.Predictor) && p != nil && p.NoteLock(addr, read)
}

// NotedUnlock is NotedLock for a lock that g is about to release.
func NotedUnlock(g *Thread, addr uintptr, read bool) bool {
	p := g.predict.P()
	return predict.Quiet(&instance.Predictor) && p != nil && p.NoteUnlock(addr, read)
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
