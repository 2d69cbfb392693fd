// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// trace prints the functions and lines of its callers.
func trace() int {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") {
			fmt.Printf("%s %s:%d\n", f.Function, filepath.Base(f.File), f.Line)
		}
		if !more {
			return 1
		}
	}
}

// positions prints what must be the same with and without instrumentation.
func positions() {
	placed()
	fmt.Println(results())
	func() {
		defer func() {
			recover()
			trace()
		}()
		crashes(nil)
	}()
	_, file, line, _ := runtime.Caller(0)
	fmt.Println(filepath.Base(file), line)
}

//atomic
func placed() { trace() }

func results() (int, error) {
	defer trace()
	for range 1 {
		//atomic
		{ trace(); if true { return trace(),
			error(nil) } } ; trace()
	}
	return 0, nil
}

//atomic
func crashes(p *int) int {
	for {
		//atomic
		{
			if p == nil { //atomic
				return *p +
					1
			}
		}
	}
}
