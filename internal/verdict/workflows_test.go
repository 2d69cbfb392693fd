// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// published is the version by which the workflows install commute in this test.
const published = "v0.1.0"

// TestWorkflows runs the steps of the workflows in docs/ci.md, in a module with a finding and in
// one without. Commute is installed by its version, from a proxy that has this repository as that.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	needLong(t, "commute is built as a module that was downloaded")
	if os.Getenv(longtest.Variable) != "1" {
		t.Skip("80 seconds of a processor, which .ci/run has not: COMMUTE_TEST_LONG=1 runs it")
	}
	text, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	env := append(os.Environ(), "GOPROXY="+proxy(t)+","+goEnv(t, "GOPROXY"),
		"GONOSUMDB=github.com/commutego/commute", "GOFLAGS=-modcacherw", "GOWORK=off",
		"GOMODCACHE="+filepath.Join(t.TempDir(), "mod"), "GOBIN="+bin, "GITHUB_WORKSPACE=",
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for name, workflow := range workflows(string(text)) {
		for _, finds := range []bool{true, false} {
			dir := workflowModule(t, finds)
			for k, step := range workflow {
				cmd := exec.Command("sh", "-c", step)
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				fails := finds && k == len(workflow)-1
				if (err != nil) != fails {
					t.Fatalf("%s: %s: %v\n%s", name, step, err, out)
				}
				if annotated := bytes.Contains(out, []byte("\n::error file=m.go,line=9,")); annotated !=
					(fails && name == "GitHub") {
					t.Errorf("%s: %s: there are annotations: %v\n%s", name, step, annotated, out)
				}
			}
			for _, file := range workflowFiles(string(text), name) {
				if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
					t.Errorf("%s keeps %s: %v", name, file, err)
				}
			}
		}
	}
}

var (
	workflowText = regexp.MustCompile("(?s)\n## (Git[A-Z][a-z]+) .*?\n```yaml\n(.*?)```")
	workflowStep = regexp.MustCompile(`(?m)^ +- (?:run: )?((?:go|commute) .*)$`)
	workflowKept = regexp.MustCompile(`commute\.(?:sarif|html|json)`)
)

// workflows are the commands of each workflow of a page.
func workflows(page string) map[string][]string {
	list := make(map[string][]string)
	for _, m := range workflowText.FindAllStringSubmatch(page, -1) {
		for _, step := range workflowStep.FindAllStringSubmatch(m[2], -1) {
			list[m[1]] = append(list[m[1]], step[1])
		}
	}
	return list
}

// workflowFiles are the files that a workflow keeps.
func workflowFiles(page, name string) (files []string) {
	for _, m := range workflowText.FindAllStringSubmatch(page, -1) {
		if m[1] == name {
			files = append(files, workflowKept.FindAllString(m[2], -1)...)
		}
	}
	return files
}

// TestWorkflowSteps reads the steps of both workflows.
func TestWorkflowSteps(t *testing.T) {
	text, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	list := workflows(string(text))
	for _, name := range []string{"GitHub", "GitLab"} {
		if steps := list[name]; len(steps) != 3 || !strings.HasPrefix(steps[0], "go install ") ||
			!strings.HasPrefix(steps[2], "commute test ") || len(workflowFiles(string(text), name)) < 2 {
			t.Errorf("%s: steps are %q", name, steps)
		}
	}
}

// workflowModule is a module whose test has a finding, or none.
func workflowModule(t *testing.T, finds bool) (dir string) {
	t.Helper()
	dir = t.TempDir()
	call := "m.LoadOrStore(key, value)"
	if finds {
		call = "m.Store(key, value)"
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.25\n",
		"m.go": "// Package m has a map.\npackage m\n\nimport \"sync\"\n\nvar m sync.Map\n\n" +
			"func put(key string, value int) {\n\t" + call + "\n}\n",
		"m_test.go": "package m\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\n" +
			"func TestPut(t *testing.T) {\n\tvar wg sync.WaitGroup\n\tfor i := range 2 {\n" +
			"\t\twg.Add(1)\n\t\tgo func() { defer wg.Done(); put(\"a\", i) }()\n\t}\n\twg.Wait()\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// proxy is the address of a module proxy that has this repository.
func proxy(t *testing.T) (url string) {
	t.Helper()
	m := module.Version{Path: "github.com/commutego/commute", Version: published}
	root := t.TempDir()
	dir := filepath.Join(root, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	if err := zip.CreateFromDir(&z, m, "../.."); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list": []byte(published + "\n"), published + ".mod": mod, published + ".zip": z.Bytes(),
		published + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, published),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return "file://" + filepath.ToSlash(root)
}

// goEnv is a variable of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
