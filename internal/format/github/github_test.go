// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package github

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
)

// TestWrite writes a finding of a run, one of vet, and one without a place.
func TestWrite(t *testing.T) {
	text, err := os.ReadFile("../../engine/finding/testdata/observed.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := report.Parse(text)
	list[0].Tests = []string{"TestA", "TestB"}
	list = append(list,
		&report.Finding{Check: "checkact", Evidence: report.Static,
			At:   report.Event{At: "/src/app/a,b.go:3:8"},
			Said: report.Said{Headline: "50% of it\r\nis lost"}},
		&report.Finding{Kind: report.DataRace, Said: report.Said{Headline: "somewhere"}})
	var b bytes.Buffer
	if err := Write(&b, &report.Run{Findings: list}, location.At("/src/app")); err != nil {
		t.Fatal(err)
	}
	want := `::error file=app/cache.go,line=22,title=commute%3A check-then-act race%2C lost update::` +
		`github.com/commutego/commute/internal/engine/fixture.AppPut checks with Load and then acts ` +
		`with Store, which is not atomic: goroutine 7 was interfered with by goroutine 8%0A` +
		`  goroutine 7: cache.go:12  Load("host") = nil, false%0A` +
		`  goroutine 8: main.go:34  Store("host", 2)%0A` +
		`  goroutine 7: cache.go:22  Store("host", 1)%0A` +
		`How to mend it: check and act in one step, by Claim in place of Load and Store; or hold one ` +
		`lock from cache.go:12 to cache.go:22, and around what comes in between%0A` +
		`More of it: commute explain lost-update%0ATest: TestA, TestB
::warning file=a%2Cb.go,line=3,col=8,title=commute vet%3A checkact::50%25 of it%0D%0Ais lost
::error title=commute%3A data race::somewhere
`
	if b.String() != want {
		t.Errorf("written is\n%s\nwant\n%s", b.String(), want)
	}
	if n := strings.Count(b.String(), "\n"); n != len(list) {
		t.Errorf("%d lines", n)
	}
}
