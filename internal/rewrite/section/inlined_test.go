// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// usesWrappers has an instance of each wrapper.
const usesWrappers = `
var commute_touches [1]commute_Touch

func use(t *commute_Touch, p *int64, q []byte, m map[string]int, i interface{}) {
	commute_untouched()
	commute_touchLock(nil, p)
	commute_touchAtomic(t, p)
	commute_touchRead(t, p)
	commute_touchWrite(t, p)
	commute_touchInner(t, p)
	commute_touchHeld(t, p)
	commute_touchElements(t, q)
	commute_touchBlock(t, p)
	commute_touchMap(t, m)
	commute_touchKey(t, m, "")
	commute_touchKeyAs[map[string]int, string, int](t, m, i)
	commute_touchLookup(t, m, "")
	commute_touchSet(t, m, "")
	commute_touchSetAs[map[string]int, string, int](t, m, i)
}
`

// TestInlined asks the compiler whether it inlines the wrappers: code that is not wanted costs no
// call.
func TestInlined(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module p\n\ngo 1.26\n",
		"p.s":    "", // so that functions may have no body
		"p.go": "package p\n\nimport commute_unsafe \"unsafe\"\n" + declarations + prelude +
			usesWrappers,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-gcflags=-m=2", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	name := regexp.MustCompile(`(?m)^func (commute_(?:touch|un)\w+)`)
	wrappers := name.FindAllStringSubmatch(prelude, -1)
	if len(wrappers) < 10 {
		t.Fatalf("%d wrappers", len(wrappers))
	}
	for _, w := range wrappers {
		can := regexp.MustCompile(`: can inline ` + w[1] + `(\[go\.shape\.[^ ]*\].*)? with cost`)
		if !can.Match(said) {
			t.Errorf("%s is not inlined:\n%s", w[1],
				regexp.MustCompile(`.* inline `+w[1]+`\b.*`).Find(said))
		}
	}
}
