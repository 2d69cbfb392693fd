// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/commutego/commute/report"
)

// What "commute analyze -json" prints for a file is a Trace.
func Example() {
	line := `{"version":1,"file":"cache.std","format":"std","events":8,"seconds":0.001,"checks":[
		{"check":"hb","findings":[{"kind":"data race","check":"hb","evidence":"race",
			"where":"cache.std:8",
			"at":{"event":8,"thread":"T2","op":"write","target":"x","at":"31"},
			"previous":{"event":3,"thread":"T1","op":"read","target":"x","at":"12"}}]},
		{"check":"commute","no_data":true}]}`
	var t report.Trace
	if err := json.Unmarshal([]byte(line), &t); err != nil {
		log.Fatal(err)
	}
	if t.Version != report.Version {
		log.Fatalf("%s has version %d of the schema", t.File, t.Version)
	}
	for _, c := range t.Checks {
		for _, f := range c.Findings {
			fmt.Print(f.Text())
		}
	}
	// Output:
	// cache.std:8: hb: data race: T2: write x (event 8, at 31) is not ordered after
	// 	T1: read x (event 3, at 12)
}

func ExampleSort() {
	findings := []*report.Finding{
		{Effect: report.StaleRead}, {Effect: report.LostUpdate}, {Effect: report.Arbitration},
	}
	report.Sort(findings)
	for _, f := range findings {
		fmt.Println(f.Effect.Severity(), f.Effect)
	}
	// Output:
	// 0 lost update
	// 3 stale read
	// 5 arbitration
}
