// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package literal prints Go declarations of types, and composite literals of their values, for
// packages that cannot import the types.
//
// Input: types and values, by reflection. Output: Go source.
package literal

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Printer says how types are called in the package that the output is for.
type Printer struct {
	Prefix string                  // goes before the name of a type
	Names  map[reflect.Type]string // of types that are called otherwise
	Unsafe string                  // the name under which package unsafe is imported

	// Expr is the expression for a field of a struct whose value only the package knows that the
	// literal is for; "" for other fields. It may be nil.
	Expr func(of any, field string) string
}

// Declare declares struct types. Their fields get names that are not exported, in the same order:
// the layouts are the same.
func (p *Printer) Declare(types ...reflect.Type) string {
	var b strings.Builder
	for _, t := range types {
		fmt.Fprintf(&b, "\ntype %s struct {\n", p.Type(t))
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintf(&b, "\t%s %s\n", field(f.Name), p.Type(f.Type))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// Type is how a type is written.
func (p *Printer) Type(t reflect.Type) string {
	if name, ok := p.Names[t]; ok {
		return name
	}
	switch {
	case t.PkgPath() == "sync/atomic":
		return strings.ToLower(t.Name()) // Uint64 and the like, whose only value is that
	case t.Kind() == reflect.UnsafePointer:
		return p.Unsafe + ".Pointer"
	case t.Kind() == reflect.Struct && t.Name() != "":
		return p.Prefix + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + p.Type(t.Elem())
	case reflect.Slice:
		return "[]" + p.Type(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), p.Type(t.Elem()))
	}
	return t.Kind().String()
}

// Value is a literal of a value. Fields that are zero are left out.
func (p *Printer) Value(v any) string {
	var b strings.Builder
	p.value(&b, reflect.ValueOf(v), true)
	return b.String()
}

// value prints v. Its type is left out if the place where it stands implies it.
func (p *Printer) value(b *strings.Builder, v reflect.Value, typed bool) {
	switch v.Kind() {
	case reflect.Pointer:
		b.WriteString("&")
		p.value(b, v.Elem(), true)
	case reflect.Struct:
		if typed {
			b.WriteString(p.Type(v.Type()))
		}
		p.structure(b, v)
	case reflect.Slice, reflect.Array:
		if typed {
			b.WriteString(p.Type(v.Type()))
		}
		p.list(b, v)
	case reflect.String:
		b.WriteString(strconv.Quote(v.String()))
	case reflect.Bool:
		fmt.Fprint(b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Uintptr:
		fmt.Fprint(b, v.Uint())
	default:
		panic(fmt.Sprintf("a %s has no literal", v.Type())) // by who calls: the types are ours
	}
}

func (p *Printer) structure(b *strings.Builder, v reflect.Value) {
	b.WriteString("{")
	sep := ""
	for i := range v.NumField() {
		f := v.Type().Field(i)
		expr := ""
		if p.Expr != nil {
			expr = p.Expr(v.Interface(), f.Name)
		}
		if f.Name == "_" || expr == "" && v.Field(i).IsZero() {
			continue
		}
		b.WriteString(sep + field(f.Name) + ": " + expr)
		if expr == "" {
			p.value(b, v.Field(i), true)
		}
		sep = ", "
	}
	b.WriteString("}")
}

// list prints the elements of a slice or array: structs and lists on a line each.
func (p *Printer) list(b *strings.Builder, v reflect.Value) {
	kind := v.Type().Elem().Kind()
	begin, sep, end := "{", ", ", "}"
	if (kind == reflect.Struct || kind == reflect.Slice) && v.Len() > 0 {
		begin, sep, end = "{\n", ",\n", ",\n}"
	}
	for i := range v.Len() {
		b.WriteString(begin)
		p.value(b, v.Index(i), false)
		begin = sep
	}
	if v.Len() == 0 {
		b.WriteString("{")
	}
	b.WriteString(end)
}

// field is the name of a field, not exported.
func field(name string) string {
	first, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[n:]
}
