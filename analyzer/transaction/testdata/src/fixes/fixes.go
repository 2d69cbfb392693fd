// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package fixes

// commute:atomic because // want "did you mean"
func a() {
	queue := make(chan int)
	//commute:atomic together // want "would leave out the condition"
	if len(queue) > 0 {
		<-queue
	}
	for range 2 {
		//commute:atomic together // want "the statement is not a block"
		switch len(queue) {
		case 1:
			<-queue
		}
	}
	//commute:Atomic why // want "did you mean"
	{
	}
}
