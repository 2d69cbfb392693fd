// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package serve

import (
	commute_fmt "fmt"
	commute_reflect "reflect"
	commute_strings "strings"
)

// commuteSelf stands for the object itself among the results of its methods.
type commuteSelf struct{}

// commuteResults lists the results of a call on o.
func commuteResults(o any, results ...any) []any {
	for i, r := range results {
		switch r.(type) {
		case nil, int, string, bool:
		default:
			if commuteComparable(r) && r == o {
				results[i] = commuteSelf{}
			}
		}
	}
	return results
}

// commuteSame is == as formulas have it: values that Go cannot compare are equal if their contents
// are.
func commuteSame(x, y any) bool {
	if commuteComparable(x) && commuteComparable(y) {
		return x == y
	}
	return commute_reflect.DeepEqual(x, y)
}

// commuteIs is x == y, or x != y, as also directives have it: neither is true of what Go cannot
// compare.
func commuteIs(x, y any, equal bool) bool {
	return commuteComparable(x) && commuteComparable(y) && (x == y) == equal
}

func commuteComparable(x any) bool {
	switch x.(type) {
	case nil, int, string, bool:
		return true
	}
	return commute_reflect.ValueOf(x).Comparable()
}

// commuteBool is a boolean variable of an also directive.
func commuteBool(x any) bool {
	v := commute_reflect.ValueOf(x)
	return v.IsValid() && v.Kind() == commute_reflect.Bool && v.Bool()
}

// commuteSameOutcome compares the outcomes of two calls. If unordered is set, lists are compared as
// multisets.
func commuteSameOutcome(x, y *commuteCall, unordered bool) bool {
	if x.returned != y.returned || x.end != y.end || len(x.results) != len(y.results) {
		return false
	}
	if !commuteSameList(x.visited, y.visited, unordered) {
		return false
	}
	for i := range x.results {
		if !commuteSameResult(x.results[i], y.results[i], unordered) {
			return false
		}
	}
	return true
}

// commuteSameResult compares two results. Slices are compared as multisets if unordered is set.
func commuteSameResult(x, y any, unordered bool) bool {
	if !unordered || commuteEqual(x, y) {
		return commuteEqual(x, y)
	}
	v, w := commute_reflect.ValueOf(x), commute_reflect.ValueOf(y)
	if !v.IsValid() || !w.IsValid() || v.Kind() != commute_reflect.Slice || v.Type() != w.Type() {
		return false
	}
	return commuteSameList(commuteElements(v), commuteElements(w), true)
}

func commuteElements(v commute_reflect.Value) (list []any) {
	for i := range v.Len() {
		list = append(list, v.Index(i).Interface())
	}
	return list
}

// commuteSameList compares two lists element by element; if unordered is set, each element of one
// has a partner in the other, wherever it is.
func commuteSameList(x, y []any, unordered bool) bool {
	if len(x) != len(y) {
		return false
	}
	taken := make([]bool, len(y))
	for i := range x {
		found := false
		for j := range y {
			if (i == j || unordered) && !taken[j] && commuteEqual(x[i], y[j]) {
				taken[j], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// commuteEqual is reflect.DeepEqual, except for values that differ between any two runs or can't be
// compared: functions and channels. Errors are equal if they have the same message, and NaN is
// equal to itself.
func commuteEqual(x, y any) bool {
	switch x := x.(type) {
	case nil:
		return y == nil
	case int:
		z, ok := y.(int)
		return ok && x == z
	case bool:
		z, ok := y.(bool)
		return ok && x == z
	case string:
		z, ok := y.(string)
		return ok && x == z
	}
	return commute_reflect.DeepEqual(x, y) ||
		commuteSimilar(commute_reflect.ValueOf(x), commute_reflect.ValueOf(y),
			make(map[commuteVisit]bool))
}

// A commuteVisit is two pointers to values that are being compared, or have been.
type commuteVisit struct {
	x, y uintptr
	typ  commute_reflect.Type
}

// commuteSimilar compares values as commuteEqual does, part by part. Unexported fields are
// compared, too. What two pointers point to is compared once: values may contain themselves.
func commuteSimilar(v, w commute_reflect.Value, visited map[commuteVisit]bool) bool {
	if !v.IsValid() || !w.IsValid() || v.Type() != w.Type() {
		return v.IsValid() == w.IsValid() && !v.IsValid()
	}
	switch v.Kind() {
	case commute_reflect.Func, commute_reflect.Chan:
		return v.IsNil() == w.IsNil()
	case commute_reflect.Float32, commute_reflect.Float64:
		return v.Float() == w.Float() || v.Float() != v.Float() && w.Float() != w.Float()
	case commute_reflect.Pointer, commute_reflect.Interface:
		if v.IsNil() || w.IsNil() {
			return v.IsNil() == w.IsNil()
		}
		if v.Kind() == commute_reflect.Pointer {
			at := commuteVisit{v.Pointer(), w.Pointer(), v.Type()}
			if visited[at] {
				return true
			}
			visited[at] = true
		}
		return commuteSameError(v, w) || commuteSimilar(v.Elem(), w.Elem(), visited)
	case commute_reflect.Struct:
		for i := range v.NumField() {
			if !commuteSimilar(v.Field(i), w.Field(i), visited) {
				return false
			}
		}
		return true
	case commute_reflect.Slice, commute_reflect.Array:
		if v.Len() != w.Len() || v.Kind() == commute_reflect.Slice && v.IsNil() != w.IsNil() {
			return false
		}
		for i := range v.Len() {
			if !commuteSimilar(v.Index(i), w.Index(i), visited) {
				return false
			}
		}
		return true
	case commute_reflect.Map:
		if v.Len() != w.Len() || v.IsNil() != w.IsNil() {
			return false
		}
		for _, k := range v.MapKeys() {
			if x := w.MapIndex(k); !x.IsValid() || !commuteSimilar(v.MapIndex(k), x, visited) {
				return false
			}
		}
		return true
	}
	return v.Equal(w)
}

// commuteSameError reports whether both are errors with the same message.
func commuteSameError(v, w commute_reflect.Value) bool {
	if !v.CanInterface() || !w.CanInterface() {
		return false
	}
	x, ok1 := v.Interface().(error)
	y, ok2 := w.Interface().(error)
	return ok1 && ok2 && x.Error() == y.Error()
}

// text prints an outcome for people.
func (c *commuteCall) text() string {
	var parts []string
	for _, r := range c.results {
		parts = append(parts, commuteText(r))
	}
	s := commute_strings.Join(parts, ", ")
	if c.end != "" {
		s = c.end
	}
	if len(c.visited) == 0 && s == "" {
		return "nothing"
	}
	if len(c.visited) == 0 {
		return s
	}
	parts = nil
	for _, v := range c.visited {
		var args []string
		for _, a := range v.([]any) {
			args = append(args, commuteText(a))
		}
		parts = append(parts, "("+commute_strings.Join(args, ", ")+")")
	}
	s += " and calls its parameter with " + commute_strings.Join(parts, ", ")
	return commute_strings.TrimPrefix(s, " and ")
}

// commuteText prints a value for people.
func commuteText(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case commuteSelf:
		return "the object"
	case error:
		return commute_fmt.Sprintf("error %q", v.Error())
	case commute_fmt.Stringer:
		return v.String()
	}
	switch w := commute_reflect.ValueOf(v); w.Kind() {
	case commute_reflect.Pointer:
		if w.IsNil() {
			return "nil"
		}
		return commute_fmt.Sprintf("%+v", v)
	case commute_reflect.Struct, commute_reflect.String, commute_reflect.Slice, commute_reflect.Map,
		commute_reflect.Array:
		return commute_fmt.Sprintf("%#v", v)
	}
	return commute_fmt.Sprint(v)
}
