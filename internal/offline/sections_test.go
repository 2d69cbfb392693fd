// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// The parts of a flagTrace, a line each: what goroutines 2 and 3 do. The second one only sets the
// flag.
const (
	enter = "2 enter"
	look  = "2 look"
	set   = "2 set"
	leave = "2 leave"
	reset = "3 set"
	again = "2 again" // enters the function, not as a transaction
	other = "2 other" // enters another function like it, which is not marked
	done  = "2 done"  // leaves them
)

// flagTrace is the text of a trace in which a function looks at an atomic flag and then sets it,
// and another one sets it. Flags are those of the pair.
func flagTrace(flags uint64, parts ...string) string {
	touch := func(op compiled.TouchOp) uint64 {
		return uint64(op)<<spec.OpShift | uint64(compiled.AtomicBool)<<spec.AtomicShift
	}
	pair := flags | uint64(compiled.FlagSet)<<spec.ShapeShift | 1<<spec.PairsShift
	var b strings.Builder
	fmt.Fprintf(&b, `commute trace 1
Definitions codec=s2
Meta key="addresses" value="true"
Meta key="quiet" value="true"
Meta key="calls" value="true"
Meta key="locks" value="all"
Meta key="sections" value="true"
Goroutine id=1 goid=1 parent=0 pos=0 name=""
Position id=1 pc=101 caller=0 line=20 func="p.(*T).start" file="/src/p.go"
Watched id=1
Position id=2 pc=102 caller=0 line=23 func="p.(*T).start" file="/src/p.go"
Watched id=2
Position id=3 pc=103 caller=0 line=31 func="p.(*T).stop" file="/src/p.go"
Watched id=3
Section id=1 name="p.(*T).start /src/p.go:17"
TouchSite id=0 flags=%d point="p.T.on" name="t.on" decl="/src/p.go:5" at="/src/p.go:20"
TouchSite id=1 flags=%d point="p.T.on" name="t.on" decl="/src/p.go:5" at="/src/p.go:23"
TouchSite id=2 flags=%d point="p.T.on" name="t.on" decl="/src/p.go:5" at="/src/p.go:31"
Pair id=0 check=0 act=1 flags=%d func="p.(*T).start" by="\n"
Pair id=1 check=0 act=1 flags=%d func="p.(*T).other" by="\n"
Goroutine id=2 goid=7 parent=1 pos=0 name=""
Goroutine id=3 goid=8 parent=1 pos=0 name=""
Events codec=s2 first=0 low=999 ordered=true
`, touch(compiled.ReadVar), touch(compiled.WriteVar), touch(compiled.WriteVar), pair,
		pair&^spec.PairMarked)
	last := 0 // the address of the lock before
	operation := func(touch, op, kind string, value, pos int) {
		const address, size = 4096, 3 // 4 bytes are 3 bits
		distance := (address - last) << 1
		last = address
		fmt.Fprintf(&b, "Value what=%s value=%d pos=%d\n", touch,
			distance<<spec.SizeShift|size, pos)
		fmt.Fprintf(&b, "%s lock=%d pos=%d\nValue what=%s value=%d pos=%d\n", kind, address, pos,
			op, value, pos)
	}
	announced := func(touch int) string {
		return fmt.Sprint(spec.Announces | touch<<spec.SiteShift)
	}
	made := func(op compiled.TouchOp) string {
		return fmt.Sprint(spec.Operated | int(op)<<spec.SiteShift)
	}
	for _, part := range parts {
		fmt.Fprintf(&b, "Go goroutine=%c\n", part[0])
		switch part {
		case enter:
			fmt.Fprintf(&b, "Begin section=1 pos=0\nValue what=%d value=0 pos=0\n", spec.Enters)
		case look:
			operation(announced(0), made(compiled.ReadVar), "AtomicLoad", 0, 1)
			fmt.Fprintf(&b, "Acquire lock=4096 pos=0\n")
		case set:
			operation(announced(1), made(compiled.WriteVar), "AtomicStore", 1, 2)
		case leave:
			fmt.Fprintf(&b, "Value what=%d value=1 pos=0\nEnd pos=0\n", spec.Leaves)
		case again:
			fmt.Fprintf(&b, "Value what=%d value=0 pos=0\n", spec.Enters)
		case other:
			fmt.Fprintf(&b, "Value what=%d value=1 pos=0\n", spec.Enters)
		case done:
			fmt.Fprintf(&b, "Value what=%d value=1 pos=0\n", spec.Leaves)
		case reset:
			operation(announced(2), made(compiled.WriteVar), "AtomicStore", 1, 3)
		}
	}
	return b.String()
}

// reportsIn is what the checks of a trace report.
func reportsIn(t *testing.T, text string, o Options) (list []*report.Finding) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "t.txt")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Open(name, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var count atomic.Uint64
	r, err := Run(f, o, &count)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Checks {
		list = append(list, r.Checks[i].Reports(f)...)
	}
	return list
}

// TestSectionsAtomic wants a check and an act by atomic operations to be found, with their values.
func TestSectionsAtomic(t *testing.T) {
	if ^uintptr(0)>>63 == 0 {
		t.Skip("the engine has no critical sections here")
	}
	checks, err := Named([]string{"sections"})
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range []uint64{0, spec.PairMarked} {
		text := flagTrace(flags, enter, look, reset, set, leave)
		list := reportsIn(t, text, Options{Checks: checks})
		if len(list) != 1 || list[0].Sections == nil {
			t.Fatalf("%d findings, want one", len(list))
		}
		text = list[0].Text()
		for _, want := range []string{"Check: t.on = false by goroutine 7",
			"Act: t.on = true (was true) by goroutine 7", "In between: t.on = true by goroutine 8",
			"/src/p.go:20", "/src/p.go:23", "/src/p.go:31",
			"How to mend it: set the flag by CompareAndSwap before"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

// TestSectionsOfViolated wants one finding of one bug: of a marked function whose transaction is
// violated no check and act besides. Of a function that is not marked it wants both, and of one
// that could only be interfered with the check and act.
func TestSectionsOfViolated(t *testing.T) {
	if ^uintptr(0)>>63 == 0 {
		t.Skip("the engine has no critical sections here")
	}
	violation, section := report.AtomicityViolation, report.CheckThenActRace
	quiet := []string{enter, look, set, leave, reset}
	broken := []string{enter, look, reset, set, leave}
	second := []string{other, look, reset, set, done}
	for _, c := range []struct {
		name  string
		flags uint64
		parts []string
		want  []report.Kind
	}{
		{"unmarked", 0, broken, []report.Kind{violation, section}},
		{"marked", spec.PairMarked, broken, []report.Kind{violation}},
		{"predicted", spec.PairMarked, quiet, []report.Kind{section}},
		{"predicted first", spec.PairMarked, slices.Concat(quiet, broken),
			[]report.Kind{violation}},
		{"observed", spec.PairMarked, []string{again, look, reset, set, done}, nil},
		{"another", spec.PairMarked, slices.Concat(quiet, broken, second),
			[]report.Kind{violation, section}},
	} {
		for _, all := range []bool{false, true} {
			var got []report.Kind
			for _, x := range reportsIn(t, flagTrace(c.flags, c.parts...), Options{All: all}) {
				got = append(got, x.Kind)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, all %v: %v, want %v", c.name, all, got, c.want)
			}
		}
	}
}
