// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// concurrent are the packages of the standard library whose tests have much to do with goroutines.
var concurrent = []string{
	"bufio", "bytes", "context", "crypto/rand", "crypto/tls", "crypto/x509", "database/sql",
	"encoding/gob",
	"encoding/json", "encoding/xml", "expvar", "html/template", "internal/poll",
	"internal/singleflight", "internal/sync",
	"io", "io/fs", "iter", "log", "log/slog", "math/rand", "mime", "mime/multipart", "net",
	"net/http",
	"net/http/httptest", "net/http/httputil", "net/rpc", "net/textproto", "os", "os/exec",
	"os/signal", "reflect",
	"regexp", "sort", "strings", "sync", "sync/atomic", "testing/synctest", "text/template", "time",
	"unique", "weak",
}

// buildTime is added to the limit of a package's tests, for compiling them and the standard
// library.
const buildTime = 15 * time.Minute

// stdSuite runs the tests of the packages under each tool.
func stdSuite(_ string, tools []tool) (bool, error) {
	paths, err := output(".", "go", append([]string{"list"}, strings.Split(*packages, ",")...)...)
	if err != nil {
		return false, err
	}
	fmt.Printf("%-24s %-8s %-9s %6s %6s %7s\n", "package",
		"tool", "verdict", "data", "commut", "time")
	sums := make(map[string]int)
	all := true
	for path := range strings.FieldsSeq(string(paths)) {
		var unwatched *outcome // how the tests do under go test, if that was asked
		for _, t := range tools {
			start := time.Now()
			o, err := t.testPackage(path)
			if err != nil {
				return false, err
			}
			elapsed := time.Since(start)
			if !o.ok() && unwatched == nil {
				other, err := plain.testPackage(path)
				if err != nil {
					return false, err
				}
				unwatched = &other
			}
			note, ok := o.compare(unwatched)
			fmt.Printf("%-24s %-8s %-9s %6d %6d %6.1fs %s\n",
				path, t.name, o.verdict, o.dataRaces, o.commutativity, elapsed.Seconds(), note)
			sums[t.name+" packages"]++
			sums[t.name+" data"] += o.dataRaces
			sums[t.name+" commutativity"] += o.commutativity
			if !ok {
				sums[t.name+" worse"]++
				all = false
			}
		}
	}
	for _, t := range tools {
		fmt.Printf("%s: %d packages, %d that do worse than under go test; %d data races, %d "+
			"commutativity races\n",
			t.name, sums[t.name+" packages"], sums[t.name+" worse"], sums[t.name+" data"],
			sums[t.name+" commutativity"])
	}
	return all, nil
}

// testPackage runs a package's tests. The time that it takes is mostly the compiler's when that is
// new.
func (t tool) testPackage(path string) (outcome, error) {
	args := t.command("-short", "-count=1", fmt.Sprintf("-timeout=%v", *timeout), path)
	out, err := watched(".", nil, *timeout+buildTime, t.program, args...)
	late := errors.Is(err, errTimeout)
	if err != nil && !late {
		return outcome{}, err
	}
	name := fmt.Sprintf("std.%s.%s", strings.ReplaceAll(path, "/", "_"), t.name)
	return parsePackage(out, late), save(name, out)
}

// ok says whether the tests pass, which they do as well where there are none.
func (o *outcome) ok() bool { return o.verdict == "ok" || o.verdict == "no tests" }

// compare says what fails, and whether go test does no better; plain is not looked at if the tests
// pass.
func (o *outcome) compare(plain *outcome) (note string, same bool) {
	if o.ok() {
		if o.dataRaces > 0 {
			return "passes in spite of reports", false
		}
		return "", true
	}
	var news []string
	for _, name := range o.failed {
		if !slices.Contains(plain.failed, name) {
			news = append(news, name)
		}
	}
	switch {
	case len(news) > 0:
		return few(news), false
	case o.verdict != plain.verdict:
		return "under go test: " + plain.verdict, false
	case o.dataRaces > plain.dataRaces:
		return "fails under go test too, without reports", false
	}
	return strings.TrimSpace("fails under go test too: " + few(o.failed)), true
}

// few joins the first names of a list.
func few(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}
