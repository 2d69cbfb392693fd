// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/commutego/commute/ecl"
)

// counter is a specification as a file with the extension .ecl has it.
const counter = `//ecl:type Counter
//ecl:observer Count(word)/n
//ecl:commute Add(w1), Add(w2): true
//ecl:commute Add(w1), Count(w2): w1 != w2
`

func ExampleParse() {
	specs, err := ecl.Parse("counter.ecl", 1, 1, counter)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range specs[0].Methods {
		fmt.Println(m.Role, m.Name, m.Params)
	}
	const wrong = "//ecl:type Counter\n//ecl:commute Add(w1), Add(w2): w1 > w2\n"
	_, err = ecl.Parse("counter.ecl", 1, 1, wrong)
	var faults ecl.Errors
	if errors.As(err, &faults) {
		fmt.Println(faults[0].Pos, faults[0].Text)
	}
	// Output:
	// observer Count [word]
	// mutator Add [w]
	// counter.ecl:2:33 w1 > w2 is outside ECL: an atom's variables must come from one call
}

// A specification is compiled to access points, by which calls are told apart when they are made.
// Parameters come first in a call's values, and then results.
func ExampleTable_Commute() {
	specs, err := ecl.Parse("counter.ecl", 1, 1, counter)
	if err != nil {
		log.Fatal(err)
	}
	table, err := ecl.Compile(specs[0])
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range table.Points {
		fmt.Println("access point", p.Name)
	}
	add, same, other := []any{"a"}, []any{"a", 1}, []any{"b", 1}
	fmt.Println(table.Commute("Add", "Count", add, same))
	fmt.Println(table.Commute("Add", "Count", add, other))
	// Output:
	// access point r:word
	// access point r:w
	// false
	// true
}
