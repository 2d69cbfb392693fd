// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"
)

const enabledConst = "race.Enabled"

// testingSuite runs the tests of package testing that are about races under each tool.
func testingSuite(dir string, tools []tool) (bool, error) {
	out, err := output(".", "go", "list", "-f", "{{.Dir}}", "testing")
	if err != nil {
		return false, err
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*_test.go"))
	if err != nil {
		return false, err
	}
	names, err := raceTests(files)
	if err != nil {
		return false, err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := writeOverlay(overlay, dir, files); err != nil {
		return false, err
	}
	all := make([]map[string]testResult, len(tools))
	for i, t := range tools {
		args := t.command("-v", "-count=1", fmt.Sprintf("-timeout=%v", *timeout),
			"-run=^("+strings.Join(names, "|")+")$")
		if t.name == "commute" && *enabled {
			args = append(args, "-overlay="+overlay)
		}
		out, err := watched(".", nil, *timeout+buildTime, t.program, append(args, "testing")...)
		if err != nil && !errors.Is(err, errTimeout) {
			return false, err
		}
		if err := save("testing."+t.name, out); err != nil {
			return false, err
		}
		if all[i] = parseTests(out); len(all[i]) == 0 {
			return false, fmt.Errorf("%s %s testing: no test has a result\n%s", t.program,
				strings.Join(args, " "), tail(out))
		}
	}
	return printTests(names, tools, all), nil
}

// printTests prints a line for every test and says whether all pass under all tools; a test may be
// skipped.
func printTests(names []string, tools []tool, all []map[string]testResult) bool {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprint(w, "test\t")
	for _, t := range tools {
		fmt.Fprintf(w, "%s\t", t.name)
	}
	fmt.Fprintln(w)
	sums := make([]int, len(tools))
	ok := true
	for _, name := range names {
		fmt.Fprintf(w, "%s\t", name)
		var messages []string
		for i, t := range tools {
			r := all[i][name]
			switch r.verdict {
			case "":
				r.verdict = "no result"
			case "PASS":
				sums[i]++
			default:
				messages = append(messages, t.name+": "+r.message)
			}
			ok = ok && (r.verdict == "PASS" || r.verdict == "SKIP")
			fmt.Fprintf(w, "%s\t", r.verdict)
		}
		fmt.Fprintln(w, strings.Join(messages, "; "))
	}
	fmt.Fprintf(w, "%d tests\t", len(names))
	for _, n := range sums {
		fmt.Fprintf(w, "%d pass\t", n)
	}
	fmt.Fprintln(w)
	_ = w.Flush()
	return ok
}

// raceTests returns the tests that are about races, by their names or as they ask whether the
// detector is there.
func raceTests(files []string) ([]string, error) {
	pattern := regexp.MustCompile(*chosen)
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		some, err := testsAbout(file, text)
		if err != nil {
			return nil, err
		}
		for _, name := range some {
			if pattern.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil,
			fmt.Errorf("-run %s: no test of package testing that is about races matches", *chosen)
	}
	return names, nil
}

// testsAbout returns the tests of one file that are about races.
func testsAbout(file string, text []byte) ([]string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		body := string(text[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset])
		if strings.Contains(f.Name.Name, "Race") || strings.Contains(body, enabledConst) {
			names = append(names, f.Name.Name)
		}
	}
	return names, nil
}

// writeOverlay makes copies in dir of the files that ask for race.Enabled, in which it is true, and
// an overlay of them.
func writeOverlay(overlay, dir string, files []string) error {
	replace := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !strings.Contains(string(text), enabledConst) {
			continue
		}
		replace[file] = filepath.Join(dir, filepath.Base(file))
		changed := strings.ReplaceAll(string(text), enabledConst, "true") + "\nvar _ = " +
			enabledConst + "\n"
		if err := os.WriteFile(replace[file], []byte(changed), 0o666); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(overlay, text, 0o666)
}
