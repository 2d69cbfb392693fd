// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package callbacks has programs with C, whose schedules are explored. TestRightX never fails, and
// TestWrongX does by a rare schedule.
package callbacks

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

extern void goCallback(uintptr_t n);

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;

static void callback(uintptr_t n) { goCallback(n); }

static void callbackLocked(uintptr_t n) {
	pthread_mutex_lock(&mu);
	goCallback(n);
	pthread_mutex_unlock(&mu);
}

struct job { uintptr_t n; int times; int ms; };

static void *run(void *p) {
	struct job *j = p;
	for (int i = 0; i < j->times; i++) {
		if (j->ms) usleep(1000 * j->ms);
		goCallback(j->n);
	}
	free(j);
	return 0;
}

static int start(uintptr_t n, int times, int ms) {
	struct job *j = malloc(sizeof *j);
	j->n = n; j->times = times; j->ms = ms;
	pthread_t t;
	int e = pthread_create(&t, 0, run, j);
	if (!e) pthread_detach(t);
	return e;
}

static int startAndWait(uintptr_t n, int times) {
	struct job *j = malloc(sizeof *j);
	j->n = n; j->times = times; j->ms = 0;
	pthread_t t;
	int e = pthread_create(&t, 0, run, j);
	if (!e) e = pthread_join(t, 0);
	return e;
}

static volatile int flag;
static void setFlag(int v) { flag = v; }
static void spin(void) { while (!flag) {} }

static void *runAndStay(void *p) {
	struct job *j = p;
	goCallback(j->n);
	usleep(1000 * j->ms);
	free(j);
	return 0;
}

static int startAndStay(uintptr_t n, int ms) {
	struct job *j = malloc(sizeof *j);
	j->n = n; j->times = 1; j->ms = ms;
	pthread_t t;
	int e = pthread_create(&t, 0, runAndStay, j);
	if (!e) pthread_detach(t);
	return e;
}

static void *sleeper(void *p) { for (;;) pause(); return 0; }
static void startSleeper(void) { pthread_t t; pthread_create(&t, 0, sleeper, 0); }

static void nap(int ms) { usleep(1000 * ms); }
static int add(int a, int b) { return a + b; }
*/
import "C"

import (
	"runtime/cgo"
)

//export goCallback
func goCallback(n C.uintptr_t) { cgo.Handle(n).Value().(func())() }

func Add(a, b int) int { return int(C.add(C.int(a), C.int(b))) }
func Nap(ms int)       { C.nap(C.int(ms)) }
func SetFlag(v int)    { C.setFlag(C.int(v)) }
func Spin()            { C.spin() }
func StartSleeper()    { C.startSleeper() }

// Callback has C call f, and CallbackLocked has it do that while it holds a lock.
func Callback(f func())       { with(f, func(h C.uintptr_t) { C.callback(h) }) }
func CallbackLocked(f func()) { with(f, func(h C.uintptr_t) { C.callbackLocked(h) }) }

// OnThread waits for a thread of C that calls f so often.
func OnThread(f func(), times int) {
	with(f, func(h C.uintptr_t) { C.startAndWait(h, C.int(times)) })
}

// Start starts a thread of C that calls f so often, each time after some milliseconds.
func Start(f func(), times, ms int) {
	C.start(C.uintptr_t(cgo.NewHandle(f)), C.int(times), C.int(ms))
}

// StartAndStay starts a thread of C that calls f, and ends some milliseconds later.
func StartAndStay(f func(), ms int) {
	C.startAndStay(C.uintptr_t(cgo.NewHandle(f)), C.int(ms))
}

func with(f func(), call func(C.uintptr_t)) {
	h := cgo.NewHandle(f)
	defer h.Delete()
	call(C.uintptr_t(h))
}
