// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// schema lists the fields of a type, and of those that it refers to: "Trace.events uint64".
func schema(t reflect.Type, seen map[reflect.Type]bool) (lines []string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return schema(t.Elem(), seen)
	case reflect.Struct:
	default:
		return nil
	}
	if seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			lines = append(lines, schema(f.Type, seen)...)
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		typ := strings.ReplaceAll(f.Type.String(), "report.", "")
		line := fmt.Sprintf("%s.%s %s", t.Name(), name, typ)
		lines = append(lines, strings.TrimSpace(line+" "+option))
		lines = append(lines, schema(f.Type, seen)...)
	}
	return lines
}

// types are the lines of all types of the schema.
func types() []string {
	seen := make(map[reflect.Type]bool)
	return append(schema(reflect.TypeFor[Trace](), seen), schema(reflect.TypeFor[Run](), seen)...)
}

// values are the words that the schema has for fields with one of several.
func values() (lines []string) {
	for _, k := range []Kind{
		AtomicityViolation, DataRace, CommutativityRace, CheckThenActRace, Deadlock,
		StaticFinding,
	} {
		lines = append(lines, fmt.Sprintf("Kind %q", k))
	}
	for _, e := range []Evidence{Observed, Predicted, Potential, Race, Static} {
		lines = append(lines, fmt.Sprintf("Evidence %q", e))
	}
	for _, e := range []Effect{
		LostUpdate, DuplicateWork, StaleCheck, StaleRead, OrderDependent, Arbitration,
	} {
		lines = append(lines, fmt.Sprintf("Effect %q", e))
	}
	return lines
}

// TestSchema compares the schema with the one that was published under its number. Lines may be
// added to that, with -update; where one has changed or is gone, [Version] has to change.
func TestSchema(t *testing.T) {
	name := filepath.Join("testdata", fmt.Sprintf("schema%d.txt", Version))
	lines := append(types(), values()...)
	slices.Sort(lines)
	published, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(published)) {
		if line = strings.TrimSpace(line); !slices.Contains(lines, line) {
			t.Errorf("%q is in the schema of version %d, and not in the types", line, Version)
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update && !t.Failed() {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if got != string(published) {
		t.Errorf("the types have lines that %s has not (if that is meant, go test ./report "+
			"-run Schema -update):\n%s", name, got)
	}
}

// TestTags wants each field to have a name in JSON of its own.
func TestTags(t *testing.T) {
	for _, line := range types() {
		if field, _, _ := strings.Cut(line, " "); strings.HasSuffix(field, ".") {
			t.Errorf("%s has a field without a name", field)
		}
	}
}
