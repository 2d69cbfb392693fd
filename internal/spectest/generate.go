// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
)

// generate writes the code that calls the methods of all plans: a file of package name, next to
// those of package serve.
func generate(s *scope, plans []*plan, name string) ([]byte, error) {
	var body bytes.Buffer
	var tables []string
	for i, p := range plans {
		g := &generator{p, &body, i}
		if err := g.table(); err != nil {
			return nil, err
		}
		tables = append(tables, fmt.Sprintf("&commuteTable%d", i))
	}
	fmt.Fprintf(&body, "\nfunc init() { commuteServe(%s) }\n", strings.Join(tables, ", "))
	if name == "main" && s.external {
		body.WriteString("\nfunc main() {}\n")
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\n%s", name, s.importDecl(body.String()))
	out.Write(body.Bytes())
	src, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("generated code does not parse: %w\n%s", err, out.Bytes())
	}
	return src, nil
}

// importDecl imports what a text needs of the packages that have a name.
func (s *scope) importDecl(text string, more ...string) string {
	var lines []string
	for name, path := range s.names {
		if !strings.Contains(text, name+".") {
			continue
		}
		if path == name || strings.HasSuffix(path, "/"+name) {
			name = ""
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %q", name, path)))
	}
	for _, path := range more {
		lines = append(lines, fmt.Sprintf("%q", path))
	}
	slices.SortFunc(lines, func(a, b string) int {
		return strings.Compare(a[strings.Index(a, `"`):], b[strings.Index(b, `"`):])
	})
	lines = slices.Compact(lines)
	if len(lines) == 0 {
		return ""
	}
	return "import (\n\t" + strings.Join(lines, "\n\t") + "\n)\n"
}

// A generator writes the table of one plan.
type generator struct {
	*plan
	b     *bytes.Buffer
	index int
}

// table writes the code for one type. It has variables that arguments point to, a function for the
// values of each domain, functions that call the methods, and the table of them.
func (g *generator) table() error {
	for _, p := range g.pointees {
		fmt.Fprintf(g.b, "\nvar %s %s = %s\n", g.pointee(p.name), p.typ, g.local(p.init))
	}
	for _, d := range g.list {
		fmt.Fprintf(g.b, "\nfunc commuteValue%d_%d(i byte) %s {\n\tswitch i {\n",
			g.index, d.index, d.typ)
		for i, v := range d.values[:len(d.values)-1] {
			fmt.Fprintf(g.b, "\tcase %d:\n\t\treturn %s\n", i, g.local(v))
		}
		fmt.Fprintf(g.b, "\t}\n\treturn %s\n}\n", g.local(d.values[len(d.values)-1]))
	}
	var methods, pairs bytes.Buffer
	for i, m := range g.methods {
		shadow := "nil"
		if m.Shadow != "" {
			shadow = fmt.Sprintf("commuteShadow%d_%d", g.index, i)
			if err := g.shadow(shadow, m); err != nil {
				return err
			}
		}
		g.call(fmt.Sprintf("commuteCall%d_%d", g.index, i), m)
		var sizes, views []string
		for k, d := range m.domains {
			n := len(d.values)
			sizes = append(sizes, fmt.Sprint(n))
			if _, ok := m.sig.Params().At(k).Type().Underlying().(*types.Signature); ok {
				n = 1 // the first function lets an iteration go on: with others it shows less
			}
			views = append(views, fmt.Sprint(n))
		}
		fmt.Fprintf(&methods, "\t\t{%q, %v, []int{%s}, []int{%s}, commuteCall%d_%d, %s},\n", m.Name,
			m.Role == ecl.Observer,
			strings.Join(sizes, ", "), strings.Join(views, ", "), g.index, i, shadow)
	}
	for i, p := range g.spec.Pairs {
		fmt.Fprintf(&pairs, "\t\t{[2]int{%d, %d}, func(x, y *commuteCall) bool { return %s }, "+
			"%s, %s},\n", p.M[0].Index, p.M[1].Index, g.spec.GoExpr(p, inServer), g.ignoring(p),
			g.compared(i))
	}
	g.make()
	fmt.Fprintf(g.b, "\nvar commuteTable%d = commuteTable{\n\tobject: commuteNew%d,\n\treset: "+
		"commuteReset%d,\n\tmethods: []commuteMethod{\n%s\t},\n\tpairs: "+
		"[]commutePair{\n%s\t},\n}\n",
		g.index, g.index, g.index, &methods, &pairs)
	return nil
}

// inServer writes a formula over the commuteCalls x and y.
var inServer = ecl.ExprPrinter{
	Condition: func(call, i int) string { return fmt.Sprintf("%c.conds[%d]", "?xy"[call], i) },
	Differ: func(x, y int) string {
		return fmt.Sprintf("!commuteSame(x.vals[%d], y.vals[%d])", x, y)
	},
	Equal: func(x, y int, want bool) string {
		return fmt.Sprintf("commuteIs(x.vals[%d], y.vals[%d], %v)", x, y, want)
	},
	Boolean: func(call, v int) string {
		return fmt.Sprintf("commuteBool(%c.vals[%d])", "?xy"[call], v)
	},
}

// compared lists the values of the two calls of a pair that samples compare.
func (g *generator) compared(pair int) string {
	if g.asked == nil || len(g.asked[pair].comparisons) == 0 {
		return "nil"
	}
	var b strings.Builder
	for _, d := range g.asked[pair].comparisons {
		fmt.Fprintf(&b, "{%d, %d}, ", d.x, d.y)
	}
	return "[][2]int{" + b.String() + "}"
}

// ignoring writes a function that says whose results must not be used, for a formula that holds
// only then.
func (g *generator) ignoring(p *ecl.Pair) string {
	list := g.spec.Ignoring(p, inServer)
	if len(list) == 0 {
		return "nil"
	}
	var b strings.Builder
	b.WriteString("func(x, y *commuteCall) ([2]bool, bool) {\nswitch {\n")
	for _, a := range list {
		fmt.Fprintf(&b, "case %s:\nreturn [2]bool{%v, %v}, true\n", a.Expr, a.Calls[0], a.Calls[1])
	}
	b.WriteString("}\nreturn [2]bool{}, false\n}")
	return b.String()
}

// pointee is the name of a pointee among those of all plans, local an expression with such names.
func (g *generator) pointee(name string) string {
	return strings.Replace(name, prefix, fmt.Sprintf("commute%d_", g.index), 1)
}

func (g *generator) local(expr string) string {
	return strings.ReplaceAll(strings.ReplaceAll(expr, prefix, fmt.Sprintf("commute%d_", g.index)),
		fmt.Sprintf("commute%d_visited", g.index), prefix+"visited")
}

// make writes the functions that make an object, and that give pointees their first contents.
func (g *generator) make() {
	o := g.object
	expr := g.local(o.expr)
	fmt.Fprintf(g.b, "\nfunc commuteNew%d() any {\n", g.index)
	if o.fails {
		fmt.Fprintf(g.b, "\to, err := %s\n\tif err != nil {\n\t\tpanic(err)\n\t}\n", expr)
	} else {
		fmt.Fprintf(g.b, "\to := %s\n", expr)
	}
	amp := ""
	if o.take {
		amp = "&"
	}
	fmt.Fprintf(g.b, "\treturn %so\n}\n\nfunc commuteReset%d() {\n", amp, g.index)
	for _, p := range g.pointees {
		if strings.HasPrefix(p.typ, "*") {
			fmt.Fprintf(g.b, "\t*%s = *%s\n", g.pointee(p.name), p.init)
		}
	}
	g.b.WriteString("}\n")
}

// open writes the beginning of a function that calls m, up to the variables with its arguments.
func (g *generator) open(name string, m *method) {
	fmt.Fprintf(g.b, "\nfunc %s(o any, args []byte, c *commuteCall) {\n\tcommute_o := o.(%s)\n",
		name, g.typeString(g.object.typ))
	for i, d := range m.domains {
		fmt.Fprintf(g.b, "\tcommute_p%d := commuteValue%d_%d(args[%d])\n", i, g.index, d.index, i)
	}
}

// call writes the function that calls m itself.
func (g *generator) call(name string, m *method) {
	g.open(name, m)
	var args []string
	for i := range m.domains {
		a := fmt.Sprint(prefix, "p", i)
		if m.sig.Variadic() && i == len(m.domains)-1 {
			a += "..."
		}
		args = append(args, a)
	}
	results := names("r", m.sig.Results().Len())
	text := fmt.Sprintf("commute_o.%s(%s)", m.Name, strings.Join(args, ", "))
	if len(results) > 0 {
		fmt.Fprintf(g.b, "\tif c.want == commuteNothing {\n\t\t%s\n\t\treturn\n\t}\n", text)
		fmt.Fprintf(g.b, "\t%s := %s\n\tc.results = commuteResults(o, %[1]s)\n",
			strings.Join(results, ", "), text)
	} else {
		fmt.Fprintf(g.b, "\t%s\n", text)
	}
	if m.Shadow == "" {
		if len(m.Results) == 0 {
			results = nil
		}
		g.values(m, results)
	}
	g.b.WriteString("}\n")
}

// shadow writes the function that has the shadow results as well.
func (g *generator) shadow(name string, m *method) error {
	text, err := g.shadowExpr(m)
	if err != nil {
		return err
	}
	g.open(name, m)
	results := names("r", len(m.Results))
	fmt.Fprintf(g.b, "\t%s := /*line %s*/ %s\n/*line zz_commute_calls.go:1:1*/\n",
		strings.Join(results, ", "), m.Pos, text)
	g.values(m, results)
	g.b.WriteString("}\n")
	return nil
}

func names(kind string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(prefix, kind, i))
	}
	return list
}

// values writes the values to which the formulas refer: those of the call, and the conditions on
// them.
func (g *generator) values(m *method, results []string) {
	vars := slices.Concat(names("p", len(m.Params)), results)
	if len(vars) == 0 {
		return
	}
	fmt.Fprintf(g.b, "\tif c.want != 0 {\n\t\treturn\n\t}\n\tc.vals = []any{%s}\n",
		strings.Join(vars, ", "))
	if conds := m.conditions(); len(conds) > 0 {
		g.b.WriteString("\tc.conds = []bool{\n")
		for _, text := range conds {
			e, err := parser.ParseExpr(text)
			if err != nil {
				continue // package ecl has parsed it
			}
			fmt.Fprintf(g.b, "\t\t/*line %s*/ %s /*line zz_commute_calls.go:1:1*/,\n",
				m.Pos, g.cond(m, e))
		}
		g.b.WriteString("\t}\n")
	}
}
