// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package roadrunner reads and writes the text that RoadRunner prints for each event, as RAPID
// reads it:
//
//	@    Enter(1,test/Deadlock.doSomething()V)
//	@    Acquire(1,@03)
//	@    ARd(1,null.test/Deadlock.value_I)  Final  Deadlock.java:50:7
//	@    Release(1,@03)
//	@    Exit(1,test/Deadlock.doSomething()V)
//
// An event is a line of @, white space, an operation, and a thread and an operand in parentheses,
// without white space or commas in them. The operations are Rd, ARd, Wr and AWr of a variable,
// Acquire and Release of a lock, and Start and Join of a thread. Enter and Exit of a method begin
// and end a transaction. Dummy is ignored. Reads and writes have a
// location: the last of one or two words after the parenthesis. (RAPID ignores events with one
// word; here they count.) Other lines are output of the program and are ignored. Lines that begin
// like an event must be one.
//
// Input and output: such texts, and events (package trace). The position of an access is its
// location, and that of a begin or an end the method.
package roadrunner
