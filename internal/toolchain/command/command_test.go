// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestToolName(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/local/go/pkg/tool/linux_amd64/compile":       "compile",
		"/usr/local/go/pkg/tool/windows_amd64/compile.exe": "compile",
		"/usr/local/go/pkg/tool/windows_amd64/compile.EXE": "compile",
		"link":      "link",
		"/a/b.exec": "b.exec",
		".exe":      ".exe",
	} {
		if got := ToolName(path); got != want {
			t.Errorf("ToolName(%q) = %q, want %q", path, got, want)
		}
	}
}

// compileLine is as the go command writes it, in one line.
const compileLine = "-o /tmp/w/b001/_pkg_.a -trimpath /tmp/w/b001=> -p example.com/m " +
	"-lang=go1.26 -complete -buildid x/x " +
	"-goversion go1.26.8 -c=2 -nolocalimports -importcfg /tmp/w/b001/importcfg -pack ./a.go " +
	"/src/b.go"

func TestParseCompile(t *testing.T) {
	args := strings.Fields(compileLine)
	c, err := ParseCompile(args)
	if err != nil || c == nil {
		t.Fatalf("ParseCompile = %v, %v", c, err)
	}
	got := []string{c.Package, c.Output, c.ImportCfg,
		c.Lang, c.TrimPath, c.GoVersion, c.Detector, c.Dir()}
	want := []string{"example.com/m", "/tmp/w/b001/_pkg_.a", "/tmp/w/b001/importcfg", "go1.26",
		"/tmp/w/b001=>", "go1.26.8", "", "/tmp/w/b001"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if c.Std {
		t.Error("Std is set")
	}
	if want := []string{"./a.go", "/src/b.go"}; !slices.Equal(c.Files, want) {
		t.Errorf("Files = %q, want %q", c.Files, want)
	}
	if got := c.Args(c.Files); !slices.Equal(got, args) {
		t.Errorf("Args = %q, want %q", got, args)
	}
	if got := c.Args([]string{"x.go"}); !slices.Equal(got,
		append(args[:len(args)-2:len(args)-2], "x.go")) {
		t.Errorf("Args = %q", got)
	}
}

// TestOwn has flags that the compiler does not get.
func TestOwn(t *testing.T) {
	c, err := ParseCompile(strings.Fields("-o x.a -commuteatomic=bank.(*Account).* -p p " +
		"-commutespec=abc -commuteatomic=*.F a.go"))
	if err != nil || c == nil {
		t.Fatalf("ParseCompile = %v, %v", c, err)
	}
	if got := strings.Join(c.Args(c.Files), " "); got != "-o x.a -p p a.go" || !c.Stripped ||
		c.Watch {
		t.Errorf("got %s, %+v", got, c)
	}
	if want := []string{"bank.(*Account).*", "*.F"}; !slices.Equal(c.Atomic, want) {
		t.Errorf("got %q, want %q", c.Atomic, want)
	}
}

// TestProfile has a profile of commute's where the user gives none.
func TestProfile(t *testing.T) {
	for args, want := range map[string]string{
		"-o x.a -p p a.go":                  "-o x.a -p p -pgoprofile=calls -d=x a.go",
		"-o x.a -pgoprofile=mine -p p a.go": "-o x.a -pgoprofile=mine -p p a.go",
		"-o x.a -pgoprofile mine -p p a.go": "-o x.a -pgoprofile mine -p p a.go",
		"-o x.a -pgoprofile= -p p a.go":     "-o x.a -pgoprofile= -p p -pgoprofile=calls -d=x a.go",
	} {
		c, err := ParseCompile(strings.Fields(args))
		if err != nil || c == nil {
			t.Fatalf("ParseCompile = %v, %v", c, err)
		}
		c.Profile = []string{"-pgoprofile=calls", "-d=x"}
		if got := strings.Join(c.Args(c.Files), " "); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

func TestOptimized(t *testing.T) {
	for pkg, want := range map[string]string{
		"runtime":                 "-o x.a -p runtime -std -l -l=0 a.go",
		"internal/runtime/atomic": "-o x.a -p internal/runtime/atomic -std -l -l=0 a.go",
		"reflect":                 "-o x.a -p reflect -std -l a.go",
	} {
		c, err := ParseCompile(strings.Fields("-o x.a -p " + pkg + " -std -l a.go"))
		if err != nil || c == nil {
			t.Fatalf("ParseCompile = %v, %v", c, err)
		}
		if got := strings.Join(c.Args(c.Files), " "); got != want {
			t.Errorf("%s: %s, want %s", pkg, got, want)
		}
	}
}

func TestParseCompileFlags(t *testing.T) {
	tests := []struct {
		args     string
		std      bool
		detector string
		none     bool
	}{
		{args: "-o x.a -p sync -std a.go", std: true},
		{args: "-o=x.a -p=sync -std=true a.go", std: true},
		{args: "-o x.a -p sync -std=false a.go"},
		{args: "-o x.a -p sync -race a.go", detector: "-race"},
		{args: "-o x.a -p sync --msan a.go", detector: "-msan"},
		{args: "-o x.a -p sync -asan=true a.go", detector: "-asan"},
		{args: "-o x.a -p sync -race=false a.go"},
		{args: "-V=full", none: true},
		{args: "-o x.a -p sync", none: true},
		{args: "a.go", none: true},
		{args: "", none: true},
	}
	for _, test := range tests {
		c, err := ParseCompile(strings.Fields(test.args))
		switch {
		case err != nil:
			t.Errorf("%q: %v", test.args, err)
		case c == nil:
			if !test.none {
				t.Errorf("%q: no compilation", test.args)
			}
		case test.none:
			t.Errorf("%q: a compilation: %v", test.args, c)
		case c.Std != test.std || c.Detector != test.detector:
			t.Errorf("%q: Std %v, Detector %q", test.args, c.Std, c.Detector)
		}
	}
}

func TestResponseFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "args")
	// As cmd/go encodes them: one argument a line, backslash and newline escaped.
	text := "-o\n/w/x.a\n-p\nm\r\n-trimpath\nC:\\\\w=>a\\nb\\x\n./a b.go\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := ParseCompile([]string{"-c=2", "@" + file, "/last.go"})
	if err != nil || c == nil {
		t.Fatalf("ParseCompile = %v, %v", c, err)
	}
	if c.Output != "/w/x.a" || c.Package != "m" || c.TrimPath != "C:\\w=>a\nb\\x" {
		t.Errorf("got %q, %q, %q", c.Output, c.Package, c.TrimPath)
	}
	if want := []string{"./a b.go", "/last.go"}; !slices.Equal(c.Files, want) {
		t.Errorf("Files = %q, want %q", c.Files, want)
	}
	if _, err := ParseCompile([]string{"@" + filepath.Join(dir, "none")}); err == nil {
		t.Error("no error for a response file that does not exist")
	}
}

func TestTrim(t *testing.T) {
	c := &Compile{TrimPath: "/tmp/w/b001=>;/home/u/m=>example.com/m@v1;/exact.go=>other.go;bad;=>x"}
	for file, want := range map[string]string{
		"/tmp/w/b001/x.go":  "x.go",
		"/home/u/m/p/x.go":  "example.com/m@v1/p/x.go",
		"/home/u/mm/p/x.go": "/home/u/mm/p/x.go",
		"/exact.go":         "other.go",
		"/usr/x.go":         "/usr/x.go",
	} {
		if got := c.Trim(file); got != want {
			t.Errorf("Trim(%q) = %q, want %q", file, got, want)
		}
	}
}

func TestImportCfg(t *testing.T) {
	file := filepath.Join(t.TempDir(), "importcfg")
	text := "# import config\nimportmap a=vendor/a\npackagefile vendor/a=/w/a=b.a\r\n\nmodinfo x\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cfg, err := (&Compile{ImportCfg: file}).ReadImportCfg()
	if err != nil {
		t.Fatal(err)
	}
	if cfg.ImportMap["a"] != "vendor/a" || cfg.PackageFile["vendor/a"] != "/w/a=b.a" ||
		len(cfg.PackageFile) != 1 {
		t.Errorf("got %v", cfg)
	}
	if _, err := (&Compile{ImportCfg: file + "x"}).ReadImportCfg(); err == nil {
		t.Error("no error for an import configuration that does not exist")
	}
}
