// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specs_test

import (
	"fmt"

	"github.com/commutego/commute/specs"
)

func ExampleFor() {
	for _, spec := range specs.For("expvar") {
		fmt.Println(spec.TypeName())
	}
	fmt.Println(specs.OnRequest("sync/atomic"))
	// Output:
	// expvar.Int
	// expvar.Map
	// true
}

func ExampleAll() {
	for _, spec := range specs.All() {
		if spec.Path == "sync" {
			fmt.Println(spec.TypeName(), len(spec.Methods), "methods")
		}
	}
	// Output: sync.Map 10 methods
}
