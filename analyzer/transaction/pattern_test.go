// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

func TestMatch(t *testing.T) {
	const deposit = "example.com/x/bank.(*Account).Deposit"
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{deposit, deposit, true},
		{"bank.(*Account).Deposit", deposit, true},
		{"bank.(*Account).*", deposit, true},
		{"bank.*", deposit, true},
		{"*.Deposit", deposit, true},
		{"*Deposit", deposit, true},
		{"*", deposit, true},
		{"example.com/*.Deposit", deposit, true},
		{"example.com/*", deposit, true},
		{"*bank*Account*", deposit, true},
		{"x/bank.(*Account).Deposit", deposit, false},
		{"*/bank.(*Account).Deposit", deposit, true},
		{"ank.(*Account).Deposit", deposit, false},
		{"bank.(*Account).Dep", deposit, false},
		{"bank.Account.Deposit", deposit, false},
		{"bank.*Withdraw", deposit, false},
		{"bank.*sit*Deposit", deposit, false},
		{"bank.Account.String", "example.com/bank.Account.String", true},
		{"bank.Account.*", "example.com/bank.(*Account).Deposit", false},
		{"bank.List[...].Len", "bank.List[...].Len", true},
		{"bank.List.Len", "bank.List[...].Len", true},
		{"bank.(*List).Len", "a/bank.(*List[...]).Len", true},
		{"bank.Map", "a/bank.Map[...]", true},
		{"bank.Map[int]", "a/bank.Map[...]", false},
		{"main.main", "main.main", true},
		{"yaml%2ev3.Unmarshal", "gopkg.in/yaml%2ev3.Unmarshal", true},
		{"exported", "bank.F", false},
		{"own.List.Len", "example.com/bank/v2.List[...].Len", true},
		{"v2.List.Len", "example.com/bank/v2.List[...].Len", true},
		{"bank/own.List.Len", "example.com/bank/v2.List[...].Len", false},
		{"own.(*Cache).*", "example.com/go-own.(*Cache).Get", true},
		{"*/own.*", "example.com/go-own.(*Cache).Get", false},
	} {
		if got := len(match([]string{test.pattern}, "own", test.name)) == 1; got != test.want {
			t.Errorf("%s, %s: %v", test.pattern, test.name, got)
		}
	}
	if got := match([]string{"b.*", "a.*", "*.F"}, "a", "a.F"); !slices.Equal(got,
		[]string{"a.*", "*.F"}) {
		t.Errorf("got %q", got)
	}
}

func TestCheckPattern(t *testing.T) {
	for pattern, want := range map[string]string{
		"exported":     "",
		"*":            "",
		"*.Deposit":    "",
		"bank.Deposit": "",
		"Deposit": "-atomic Deposit: the name of a function begins with that of its " +
			"package: write *.Deposit for any",
		"a/b": "-atomic a/b: the name of a function begins with that of its package: " +
			"write *.a/b for any",
		"a. b":  "-atomic a. b: no function is called so: the names are those in stack traces",
		"'a.b'": "-atomic 'a.b': no function is called so: the names are those in stack traces",
	} {
		got := ""
		if err := CheckPattern(pattern); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestMatched leaves out what programs and tests begin with, unless it is named, and what nothing
// can be added to.
func TestMatched(t *testing.T) {
	sources := map[string]string{
		"a.go": `package a
func F() {}
func g() {}
func main() {}
func init() {}
func Testing() {}
func (T) M() {}
func (*t) M() {}
func (*t) TestM() {}
func Body()
//go:nosplit
func Split() {}
func _() {}
`,
		"a_test.go": `package a
func TestF() {}
func Test_f() {}
func Tester() {}
func Testimony() {}
func BenchmarkF() {}
func ExampleF() {}
func FuzzF() {}
func TestMain() {}
func helper() {}
func (suite) TestM() {}
`,
		"_testmain.go":    "package a\nfunc Main() {}\n",
		"_cgo_gotypes.go": "package a\nfunc Cgo() {}\n",
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{"a.go", "a_test.go", "_testmain.go", "_cgo_gotypes.go"} {
		file, err := parser.ParseFile(fset, name, sources[name], parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for _, test := range []struct{ patterns, marks, used []string }{
		{[]string{Exported}, []string{"F", "Testing", "T.M", "(*t).M", "(*t).TestM"},
			[]string{Exported}},
		{[]string{"a.*", "b.*"}, []string{"F", "g", "Testing", "T.M", "(*t).M", "(*t).TestM",
			"Tester", "Testimony", "helper", "suite.TestM"}, []string{"a.*"}},
		{[]string{"a.main", "a.TestMain", "a.init.0", "a.Body"},
			[]string{"main", "init.0", "TestMain"}, []string{"a.TestMain", "a.init.0", "a.main"}},
		{[]string{"a.F", "*.F", Exported}, []string{"F", "Testing", "T.M", "(*t).M", "(*t).TestM"},
			[]string{"*.F", "a.F", Exported}},
		{[]string{"a.Split", "b.F"}, nil, nil},
		{[]string{Exported, "!a.T.*", "!b.*"}, []string{"F", "Testing", "(*t).M", "(*t).TestM"},
			[]string{"!a.T.*", Exported}},
		{[]string{"a.F", "a.g", "!a.F"}, []string{"g"}, []string{"!a.F", "a.g"}},
	} {
		m := Matched(test.patterns, "example.com/a", fset, files)
		var got []string
		for _, m := range m.Marks {
			got = append(got, m.Name[len("example.com/a."):])
		}
		if !slices.Equal(got, test.marks) || !slices.Equal(m.Used, test.used) {
			t.Errorf("%q: got %q by %q, want %q by %q", test.patterns, got, m.Used, test.marks,
				test.used)
		}
	}
}
