// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

func TestWalk(t *testing.T) {
	put, get, _ := fixture.AppMain()
	names := func(s *stack.Stack, method string) string {
		var list []string
		s.Walk(method, func(fr host.Frame) bool {
			list = append(list, fr.Func[strings.LastIndexByte(fr.Func, '.')+1:])
			return true
		})
		return strings.Join(list, " ")
	}
	if got := names(put, ""); got != "AppPut AppMain" {
		t.Errorf("frames %s", got)
	}
	const pkg = "github.com/commutego/commute/internal/engine/fixture."
	if got := names(get, pkg+"AppGet"); got != "AppMain" {
		t.Errorf("frames below the method %s", got)
	}
	if got := names(get, pkg+"AppMain"); got != "AppGet AppMain" {
		t.Errorf("frames with the method not at the top %s", got)
	}
	if got := names(nil, ""); got != "" {
		t.Errorf("frames of no stack %s", got)
	}
	if fr := put.Top(""); text.Base(fr.File) != "cache.go" || fr.Line != 12 {
		t.Errorf("top %v", fr)
	}
	if fr := put.Top(pkg + "AppPut"); text.Base(fr.File) != "main.go" || fr.Line != 32 {
		t.Errorf("top below the method %v", fr)
	}
}

func TestCodePlace(t *testing.T) {
	put := fixture.AppPut()
	again, get := fixture.AppPut(), fixture.AppGet()
	if put == again {
		t.Fatal("stacks of calls from two lines are one")
	}
	if put.CodePlace("") != again.CodePlace("") {
		t.Error("one line has two code places")
	}
	if put.CodePlace("") == get.CodePlace("") || put.CodePlace("") == 0 {
		t.Error("two lines have one code place")
	}
	if (*stack.Stack)(nil).CodePlace("") == 0 {
		t.Error("no stack has no code place")
	}
}
