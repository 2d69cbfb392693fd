// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

var linkedSources = map[string]string{
	"half seen": `
type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

func (l *link) dial(pause func()) {
	l.mu.Lock()
	if l.line != nil { // check c
		l.mu.Unlock()
		return
	}
	l.open = true // check h
	l.mu.Unlock()
	pause()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made // act c, created // act h, half seen
	l.mu.Unlock()
}

func (l *link) say(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open { // check u
		l.line.send(s) // act u, half seen
	}
}`,
	"half seen, looked at": `
type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

func (l *link) dial() {
	l.mu.Lock()
	if l.line != nil { // check c
		l.mu.Unlock()
		return
	}
	l.open = true
	l.mu.Unlock()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made // act c, created
	l.mu.Unlock()
}

func (l *link) say(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open && l.line != nil {
		l.line.send(s)
	}
}`,
	"half seen, handed on": `
type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

func (l *link) dial() {
	l.mu.Lock()
	if l.line != nil { // check c
		l.mu.Unlock()
		return
	}
	l.open = true
	l.mu.Unlock()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made // act c, created
	l.mu.Unlock()
}

func (l *link) get() *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open {
		return nil
	}
	return l.line
}`,
	"half seen, by a method that looks": `
type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

func (l *link) dial() {
	l.mu.Lock()
	if l.line != nil { // check c
		l.mu.Unlock()
		return
	}
	l.open = true
	l.mu.Unlock()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made // act c, created
	l.mu.Unlock()
}

func (l *line) try(s string) {
	if l != nil {
		l.send(s)
	}
}

func (l *link) say(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		l.line.try(s)
	}
}`,
	"half seen, not by the flag": `
type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

func (l *link) dial() {
	l.mu.Lock()
	if l.line != nil { // check c
		l.mu.Unlock()
		return
	}
	l.open = true
	l.mu.Unlock()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made // act c, created
	l.mu.Unlock()
}

func (l *link) say(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line.send(s)
}`,
	"half seen in two sections": `
type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

func (l *link) dial() {
	l.mu.Lock()
	if l.line != nil { // check c
		l.mu.Unlock()
		return
	}
	l.open = true // check h
	l.mu.Unlock()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made // act c, created // act h, half seen
	l.mu.Unlock()
}

func (l *link) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open // check u
}

func (l *link) say(s string) {
	if !l.isOpen() {
		return
	}
	l.mu.Lock()
	l.line.send(s) // act u, half seen
	l.mu.Unlock()
}`,
	"flag that is taken back": `
type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

func (l *link) dial() {
	l.mu.Lock()
	if l.line != nil { // check c
		l.mu.Unlock()
		return
	}
	l.open = true
	l.mu.Unlock()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made // act c, created
	l.open = false
	l.mu.Unlock()
}

func (l *link) say(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		l.line.send(s)
	}
}`,
	"flag that a deferred function takes back": `
type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

func (l *link) done() {
	l.mu.Lock()
	l.open = false
	l.mu.Unlock()
}

func (l *link) dial() {
	l.mu.Lock()
	if l.line != nil { // check c
		l.mu.Unlock()
		return
	}
	l.open = true
	l.mu.Unlock()
	defer l.done()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made // act c, created
	l.mu.Unlock()
}

func (l *link) say(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		l.line.send(s)
	}
}`,
}
