// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"encoding/json"
	"go/token"
	"go/types"
	"strings"
)

// The document that Table.JSON makes. Fields are added to it, but none is renamed or taken away.
type (
	jsonTable struct {
		Type string `json:"type"`
		// Open is true if calls are synchronization themselves.
		Open bool `json:"open,omitempty"`
		// Derived is true if only races that break a check and act are reported.
		Derived bool         `json:"derived,omitempty"`
		Methods []jsonMethod `json:"methods"`
		Points  []jsonPoint  `json:"points"`
		// Conflicts are names of points; a point may conflict with itself.
		Conflicts    [][2]string       `json:"conflicts"`
		Formulas     []jsonFormula     `json:"formulas"`     // of every pair of methods
		Alternatives []jsonAlternative `json:"alternatives"` // also directives
	}
	jsonMethod struct {
		Name    string   `json:"name"`
		Role    string   `json:"role"` // mutator, observer or arbiter
		Params  []string `json:"params"`
		Results []string `json:"results"` // that the method returns
		Shadow  []string `json:"shadow"`  // that it does not return
		// Call is the expression that yields results and shadow results.
		Call     string `json:"call,omitempty"`
		Callback string `json:"callback,omitempty"` // the parameter that the method calls
		// Atoms are conditions; bit i of beta is the truth of the i-th.
		Atoms   []string    `json:"atoms"`
		Keys    []string    `json:"keys"`    // values that name points
		Touches []jsonTouch `json:"touches"` // by beta
	}
	jsonTouch struct {
		Beta      int           `json:"beta"`
		Condition string        `json:"condition"`
		Points    []jsonTouched `json:"points"`
	}
	jsonTouched struct {
		Point string `json:"point"`
		Key   string `json:"key,omitempty"` // the value that says which point, if it is keyed
	}
	jsonPoint struct {
		Name  string `json:"name"`
		Keyed bool   `json:"keyed"` // one for each value; two conflict if their values are equal
	}
	jsonFormula struct {
		Methods [2]string    `json:"methods"`
		Formula string       `json:"formula"`
		Text    string       `json:"text"`  // the directive
		Given   bool         `json:"given"` // false: two observers, or the default
		At      jsonPosition `json:"position"`
	}
	jsonAlternative struct {
		Methods    [2]string    `json:"methods"`
		Conditions []string     `json:"conditions"` // all have to hold
		Text       string       `json:"text"`
		At         jsonPosition `json:"position"`
	}
	jsonPosition struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
	}
)

// JSON returns t and its spec as an indented JSON object, with a newline at its end. Its fields are
// listed in docs/ecl.md.
func (t *Table) JSON() []byte {
	d := jsonTable{
		Type: t.Spec.TypeName(), Open: t.Spec.Open, Derived: t.Spec.Derived,
		Methods: []jsonMethod{}, Points: []jsonPoint{},
		Conflicts: [][2]string{},
		Formulas:  []jsonFormula{}, Alternatives: []jsonAlternative{},
	}
	for _, m := range t.Methods {
		d.Methods = append(d.Methods, t.jsonMethod(m))
	}
	for i, p := range t.Points {
		d.Points = append(d.Points, jsonPoint{p.Name, p.Keyed})
		for j := i; j < len(t.Points); j++ {
			if t.Conflict(i, j) {
				d.Conflicts = append(d.Conflicts, [2]string{p.Name, t.Points[j].Name})
			}
		}
	}
	for _, p := range t.Spec.Pairs {
		d.Formulas = append(d.Formulas, jsonFormula{[2]string{p.M[0].Name, p.M[1].Name},
			p.formula(), p.Text, p.expr != nil, jsonAt(p.Pos)})
	}
	for _, a := range t.Spec.Also {
		d.Alternatives = append(d.Alternatives,
			jsonAlternative{[2]string{a.M[0].Name, a.M[1].Name}, a.conditions(), a.Text,
				jsonAt(a.Pos)})
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(d); err != nil {
		panic(err) // strings, numbers and booleans only
	}
	return []byte(b.String())
}

// jsonMethod is m with its touches for each beta.
func (t *Table) jsonMethod(m *TableMethod) jsonMethod {
	list := func(s []string) []string { return append([]string{}, s...) }
	real := min(m.Real, len(m.Results))
	j := jsonMethod{
		Name: m.Name, Role: m.Role.String(), Params: list(m.Params),
		Results: list(m.Results[:real]), Shadow: list(m.Results[real:]),
		Call: m.Shadow, Callback: m.Callback, Atoms: list(m.Atoms), Keys: []string{},
		Touches: []jsonTouch{},
	}
	for _, k := range m.Keys {
		j.Keys = append(j.Keys, m.Vars()[k])
	}
	for beta, touch := range m.Touch {
		jt := jsonTouch{Beta: beta, Condition: m.condition(uint32(beta)), Points: []jsonTouched{}}
		if len(m.atoms) == 0 {
			jt.Condition = "true"
		}
		for _, u := range touch {
			p := jsonTouched{Point: t.Points[u.Point].Name}
			if u.Arg >= 0 {
				p.Key = m.Vars()[u.Arg]
			}
			jt.Points = append(jt.Points, p)
		}
		j.Touches = append(j.Touches, jt)
	}
	return j
}

func jsonAt(p token.Position) jsonPosition { return jsonPosition{p.Filename, p.Line, p.Column} }

// formula is p's formula as it was written, or the constant that stands for it.
func (p *Pair) formula() string {
	switch {
	case p.expr != nil:
		return types.ExprString(p.expr)
	case p.f != nil && p.f.op == opTrue:
		return "true"
	}
	return "false"
}

// conditions prints a's conditions with the names that they have in the directive.
func (a *Also) conditions() []string {
	var list []string
	name := func(call, v int) string { return a.sig[call].vars()[v].name }
	for _, c := range a.Conds {
		s := ""
		switch {
		case c.Kind == Equal && c.Want:
			s = name(0, c.X) + " == " + name(1, c.Y)
		case c.Kind == Equal:
			s = name(0, c.X) + " != " + name(1, c.Y)
		case c.Kind == First:
			s = name(0, c.X)
		case c.Kind == FirstUnused:
			s = unusedFunc + "(" + name(0, c.X) + ")"
		case c.Kind == SecondUnused:
			s = unusedFunc + "(" + name(1, c.Y) + ")"
		default:
			s = name(1, c.Y)
		}
		if c.Kind != Equal && !c.Want {
			s = "!" + s
		}
		list = append(list, s)
	}
	return list
}
