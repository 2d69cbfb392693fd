// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package validate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/trace/raw"
)

const head = `commute trace 1
Definitions codec=plain
Point id=0 type="T" name="r"
Point id=1 type="T" name="w"
Conflict point=0 other=1
Method id=3 type="T" name="Get"
Section id=4 name="Deposit"
Test id=5 name="TestBank"
`

const events = "Events codec=plain first=0 low=99 ordered=true\nGo goroutine=1\n"

// TestCheck has a trace that is right, and for each rule one that breaks it by its last record.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{events + "TestBegin test=5 pos=0\nBegin section=4 pos=0\nCall object=9 method=3 " +
			"touches=2 pos=0\nTouch object=9 point=1 pos=0\n" +
			"Go goroutine=2\nRead var=1 pos=0\nExit pos=0\nGo goroutine=1\nTouchKey object=9 " +
			"point=0 key=0x5 pos=0\nEnd pos=0\nBegin section=0 pos=0\n" +
			"Touch object=9 point=0 pos=0\nTestEnd test=5 pos=0\nTestBegin test=5 pos=0\n", ""},
		{events + "Begin section=5 pos=0\n",
			"Begin section=5 pos=0: Section 5 is not defined before"},
		{events + "Touch object=1 point=2 pos=0\n",
			"Touch object=1 point=2 pos=0: Point 2 is not defined before"},
		{events + "Call object=1 method=2 touches=0 pos=0\n",
			"Call object=1 method=2 touches=0 pos=0: Method 2 is not defined before"},
		{events + "Call object=1 method=3 touches=1 pos=0\nEnd pos=0\n",
			"End pos=0: the call before has 1 touches more"},
		{events + "Call object=1 method=3 touches=1 pos=0\nTouch object=2 point=0 pos=0\n",
			"Touch object=2 point=0 pos=0: the call before is of object 1"},
		{events + "Exit pos=0\nGo goroutine=2\nEnd pos=0\nGo goroutine=1\nEnd pos=0\n",
			"End pos=0: goroutine 1 has exited before"},
		{events + "TestEnd test=5 pos=0\n", "TestEnd test=5 pos=0: the test has not begun"},
		{events + "TestBegin test=5 pos=0\nTestBegin test=5 pos=0\n",
			"TestBegin test=5 pos=0: the test has begun before"},
		{events + "TestBegin test=6 pos=0\n",
			"TestBegin test=6 pos=0: Test 6 is not defined before"},
		{events + "Events codec=plain first=9 low=99 ordered=true\nEnd pos=0\n",
			"End pos=0: no goroutine is named before it in the chunk"},
		{"Definitions codec=plain\nConflict point=0 other=2\n",
			"Conflict point=0 other=2: Point 2 is not defined before"},
	} {
		var file bytes.Buffer
		if err := raw.Parse(&file, strings.NewReader(head+c.text)); err != nil {
			t.Fatal(err)
		}
		r, err := raw.NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		err = Check(r)
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "byte ") ||
			!strings.HasSuffix(err.Error(), ": in the chunk there: "+c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestCheckOrder has a goroutine's records be in chunks in another order than their own, and a ring
// start in the middle of a call.
func TestCheckOrder(t *testing.T) {
	for _, text := range []string{
		"commute trace 1\nEvents codec=plain first=5 low=1 ordered=false\nGo goroutine=1\n" +
			"Exit pos=0\n" +
			"Events codec=plain first=1 low=9 ordered=false\nGo goroutine=1\nRead var=1 pos=0\n",
		strings.Replace(head, "trace 1", "trace 2", 1) +
			"Events codec=plain first=5 low=99 ordered=false from=8 past=5\nGo goroutine=1\n" +
			// lost
			"Call object=9 method=9 touches=2 pos=0\nTouch object=9 point=1 pos=0\nExit pos=0\n" +
			"State hidden=0 open=1 section=4 pos=0\nTouch object=9 point=1 pos=0\nCall object=9 " +
			"method=3 touches=1 pos=0\n" +
			"State hidden=0 open=1 section=4 pos=0\nTouch object=9 point=1 pos=0\nTestEnd " +
			"test=5 pos=0\n",
	} {
		var file bytes.Buffer
		if err := raw.Parse(&file, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		r, err := raw.NewReader(&file)
		if err == nil {
			err = Check(r)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
