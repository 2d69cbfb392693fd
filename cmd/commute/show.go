// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// show prints a specification and its translation: as text, JSON or a graph.
func show(args []string) int {
	form, name := "", ""
	for _, arg := range args {
		flag, ok := strings.CutPrefix(arg, "-")
		switch flag = strings.TrimPrefix(flag, "-"); {
		case !ok && name == "":
			name = arg
		case !ok:
			return misused("spec show takes one type, not %s and %s too", name, arg)
		case flag != "json" && flag != "dot":
			return misused("spec show has no flag %s (there are -json and -dot)", arg)
		case form != "" && form != flag:
			return misused("spec show prints one of -json and -dot")
		default:
			form = flag
		}
	}
	if name == "" {
		fmt.Fprint(os.Stderr, specHelp)
		return toolexec.ExitUsage
	}
	s, err := specOf(name)
	if err != nil {
		return fail(err)
	}
	t, err := ecl.Compile(s)
	if err != nil {
		return fail(err)
	}
	switch form {
	case "json":
		os.Stdout.Write(t.JSON())
	case "dot":
		fmt.Print(t.Dot())
	default:
		fmt.Printf("%s\n%s", s, t)
	}
	return 0
}

func misused(format string, args ...any) int {
	return fail(fmt.Errorf(format, args...))
}

// typeName splits store/path.Name, or ./store.Name, at the dot. A name alone, with a dot before it
// or not, and with ./ before that or not, is that of a type of the package in the current folder.
// So is ./store.Name in a folder store that has no folder store.
func typeName(arg string) (pkg, name string, ok bool) {
	if rest, ok := strings.CutPrefix(arg, "./"); ok && token.IsIdentifier(
		strings.TrimPrefix(rest, ".")) {
		arg = rest
	}
	slash := strings.LastIndexAny(arg, `/\`)
	dot := strings.LastIndexByte(arg, '.')
	if own, _ := filepath.Glob("*.go"); len(own) > 0 && slash < 0 && dot <= 0 &&
		token.IsIdentifier(arg[dot+1:]) {
		return ".", arg[dot+1:], true
	}
	if dot <= slash+1 || dot == len(arg)-1 {
		return "", "", false
	}
	pkg, name = arg[:dot], arg[dot+1:]
	if here, err := os.Getwd(); err == nil && filepath.Clean(pkg) == filepath.Base(here) &&
		strings.HasPrefix(pkg, "./") {
		if _, err := os.Stat(pkg); err != nil {
			pkg = "."
		}
	}
	return pkg, name, true
}
