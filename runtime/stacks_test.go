// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

func TestWalk(t *testing.T) {
	put, get, _ := appMain()
	names := func(s *stack, method string) string {
		var list []string
		s.walk(method, func(fr host.Frame) bool {
			list = append(list, fr.Func[strings.LastIndexByte(fr.Func, '.')+1:])
			return true
		})
		return strings.Join(list, " ")
	}
	if got := names(put, ""); got != "appPut appMain" {
		t.Errorf("frames %s", got)
	}
	const pkg = "github.com/commutego/commute/runtime."
	if got := names(get, pkg+"appGet"); got != "appMain" {
		t.Errorf("frames below the method %s", got)
	}
	if got := names(get, pkg+"appMain"); got != "appGet appMain" {
		t.Errorf("frames with the method not at the top %s", got)
	}
	if got := names(nil, ""); got != "" {
		t.Errorf("frames of no stack %s", got)
	}
	if fr := put.top(""); base(fr.File) != "cache.go" || fr.Line != 12 {
		t.Errorf("top %v", fr)
	}
	if fr := put.top(pkg + "appPut"); base(fr.File) != "main.go" || fr.Line != 32 {
		t.Errorf("top below the method %v", fr)
	}
}

func TestCodePlace(t *testing.T) {
	put := appPut()
	again, get := appPut(), appGet()
	if put == again {
		t.Fatal("stacks of calls from two lines are one")
	}
	if put.codePlace("") != again.codePlace("") {
		t.Error("one line has two code places")
	}
	if put.codePlace("") == get.codePlace("") || put.codePlace("") == 0 {
		t.Error("two lines have one code place")
	}
	if (*stack)(nil).codePlace("") == 0 {
		t.Error("no stack has no code place")
	}
}
