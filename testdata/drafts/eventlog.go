// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import "sync"

// An EventLog keeps the latest events.
type EventLog struct {
	mu     sync.Mutex
	events []string
	sealed bool
}

func (l *EventLog) Append(event string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return false
	}
	l.events = append(l.events, event)
	return true
}

func (l *EventLog) Seal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
}

func (l *EventLog) Sealed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sealed
}

func (l *EventLog) Last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) == 0 {
		return ""
	}
	return l.events[len(l.events)-1]
}

func (l *EventLog) Truncate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = nil
}

// Each calls f with each event.
func (l *EventLog) Each(f func(event string)) {
	l.mu.Lock()
	events := l.events
	l.mu.Unlock()
	for _, e := range events {
		f(e)
	}
}
