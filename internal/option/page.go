// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"fmt"
	"regexp"
	"strings"
)

// tables is what docs/options.md has tables of: a comment names a command, or several with commas
// between, or "options", and the table stands between it and the next comment.
var tables = regexp.MustCompile(`(?s)<!-- (flags|options)(?: ([^>]*))? -->\n.*?<!-- end -->\n`)

// Page replaces the tables in the text of docs/options.md by those of this package.
func Page(text string) string {
	return tables.ReplaceAllStringFunc(text, func(old string) string {
		m := tables.FindStringSubmatch(old)
		begin, _, _ := strings.Cut(old, "\n")
		table := optionsTable()
		if m[1] == "flags" {
			table = flagsTable(strings.Split(m[2], ", "))
		}
		return begin + "\n" + table + "<!-- end -->\n"
	})
}

func optionsTable() string {
	var b strings.Builder
	b.WriteString("| option | default | flag | meaning |\n| --- | --- | --- | --- |\n")
	for _, o := range Table {
		flag := ""
		if o.Flag {
			flag = "`-" + o.Name + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(o.Name+"="+o.Value), code(o.Default), flag,
			cell(o.Text()))
	}
	return b.String()
}

// flagsTable is the table of the flags of commands. Where there are several commands, it says of
// each flag which of them take it.
func flagsTable(commands []string) string {
	var b strings.Builder
	if len(commands) > 1 {
		b.WriteString("| flag | of | default | meaning |\n| --- | --- | --- | --- |\n")
	} else {
		b.WriteString("| flag | default | meaning |\n| --- | --- | --- |\n")
	}
	for _, f := range Flags {
		var of []string
		for _, c := range commands {
			for _, own := range f.Commands {
				if own == c {
					of = append(of, c[strings.LastIndexByte(c, ' ')+1:])
				}
			}
		}
		if of == nil {
			continue
		}
		fmt.Fprintf(&b, "| %s |", code(strings.TrimSpace("-"+f.Name+" "+f.Value)))
		if len(commands) > 1 {
			fmt.Fprintf(&b, " %s |", strings.Join(of, ", "))
		}
		fmt.Fprintf(&b, " %s | %s |\n", code(f.Default), cell(f.Help))
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", "\\|") + "`"
}

// cell is a text in a table.
func cell(s string) string {
	s = strings.ReplaceAll(s, "|", "\\|")
	if list, ok := strings.CutSuffix(s, ":"); ok {
		s = list + " (the help text has the list)."
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
