// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package misspelt has comments that are nearly directives, and others.
package misspelt

import "fmt"

func f() {
	/* // want "unknown directive //comute:ignore; did you mean //commute:ignore\\?" */ //comute:ignore why
	fmt.Print()
	/* // want "unknown directive //comute:ingore; did you mean //commute:ignore\\?" */ //comute:ingore why
	fmt.Print()
	/* // want "unknown directive //comute:ignore; did you mean //commute:ignore\\?" */ // comute:ignore why
	fmt.Print()
	/* // want "unknown directive //commute:ingore; did you mean //commute:ignore\\?" */ //commute:ingore why
	fmt.Print()
	/* // want "unknown directive //commute:ingore; did you mean //commute:ignore\\?" */ // commute:ingore why
	fmt.Print()
	/* // want "unknown directive //commute:conccurent; did you mean //commute:concurrent\\?" */ //commute:conccurent why
	fmt.Print()
	/* // want "unknown directive //Commute:ignore; did you mean //commute:ignore\\?" */ //Commute:ignore why
	fmt.Print()
	/* // want "unknown directive //comute:ignore; did you mean //commute:ignore\\?" */ //comute: ignore why
	fmt.Print()
	/* // want "unknown directive //ommute:atomic; did you mean //commute:atomic\\?" */ //ommute:atomic
	fmt.Print()
	/* // want "unknown directive //xommute:nothing; there are //commute:ignore, //commute:concurrent, //commute:atomic and //commute:notatomic" */ //xommute:nothing
	fmt.Print()
	/* // want "a colon is missing; did you mean //commute:ignore\\?" */ //commute ignore why
	fmt.Print()
	/* // want "a colon is missing; did you mean //commute:ignore\\?" */ //commute-ignore why
	fmt.Print()
	/* // want "a directive is a comment of its own line, with //; did you mean //commute:ignore\\?" */ /* commute:ignore why */
	fmt.Print()
	/* // want "commute doesn't read //nolint; did you mean //commute:ignore and why\\?" */ //nolint:commute
	fmt.Print()
	/* // want "commute doesn't read //nolint; did you mean //commute:ignore and why\\?" */ //nolint:errcheck,commute // why
	fmt.Print()
	/* // want "commute doesn't read //lint; did you mean //commute:ignore and why\\?" */ //lint:ignore commute why
	fmt.Print()
	/* // want "unknown directive //elc:commute; did you mean //ecl:commute\\?" */ //elc:commute Get(k1), Get(k2): true
	fmt.Print()
	/* // want "unknown directive //ECL:observer; did you mean //ecl:observer\\?" */ //ECL:observer Get(k)
	fmt.Print()
	/* // want "unknown directive //ec:commute; did you mean //ecl:commute\\?" */ //ec:commute Get(k1), Get(k2): true
	fmt.Print()
	// compute: the sum
	//compute:gpu
	// commute: it is prose
	// commuted: ignored
	//nolint:errcheck
	//acl:type user
	// elc: what
	//go:noinline
	// https://commute.example
	// community: concurrent
	//commute
	// See commute ignore and so on
}
