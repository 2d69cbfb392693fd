// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"reflect"
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/event"
)

// TestEncode has windows of random traces and programs be the same when they were encoded, and
// what is found in them. What is cut off somewhere is an error.
func TestEncode(t *testing.T) {
	touches, recorded := 0, 0
	for seed := range count() / 10 {
		tr := brute.Random(seed)
		list := split(tr.Trace, Options{Window: 8 + int(seed%20)})
		o := Options{Recorded: true, Window: 12}
		p := brute.RandomProgram(seed)
		s := NewSplitter(p.Relation, o, func(w *Window) { list = append(list, w) })
		for i := range p.Piece.Steps {
			s.Take(&p.Piece.Events[i], p.Piece.Steps[i])
		}
		s.End()
		for _, w := range list {
			data, _ := w.AppendBinary(nil)
			var got Window
			if err := got.UnmarshalBinary(data); err != nil {
				t.Fatalf("trace %d: %v", seed, err)
			}
			if !reflect.DeepEqual(got.Judge(Options{}), w.Judge(Options{})) {
				t.Fatalf("trace %d: something else is found", seed)
			}
			if got.Relation != nil {
				touches++
			} else {
				got.Relation = w.Relation
			}
			if w.Piece.Recorded {
				recorded++
			}
			if !reflect.DeepEqual(&got, w) {
				t.Fatalf("trace %d: %+v, want %+v", seed, got.Piece, w.Piece)
			}
			if err := new(Window).UnmarshalBinary(data[:int(seed)%len(data)]); err == nil {
				t.Fatalf("trace %d: no error", seed)
			}
		}
	}
	if touches == 0 || recorded == 0 {
		t.Errorf("%d with touches, %d recorded", touches, recorded)
	}
}

// TestEncodeFields has each field of a step and of an event be there when it was encoded.
func TestEncodeFields(t *testing.T) {
	for _, what := range []any{reorder.Step{}, event.Event{}} {
		for i := range reflect.TypeOf(what).NumField() {
			w := &Window{Piece: &reorder.Piece{
				Steps: make([]reorder.Step, 1), Events: make([]event.Event, 1),
			}}
			x := reflect.ValueOf(&w.Piece.Steps[0]).Elem()
			if _, ok := what.(event.Event); ok {
				x = reflect.ValueOf(&w.Piece.Events[0]).Elem()
			}
			switch f := x.Field(i); f.Kind() {
			case reflect.Bool:
				f.SetBool(true)
			default:
				f.SetUint(1)
			}
			data, _ := w.AppendBinary(nil)
			var got Window
			if err := got.UnmarshalBinary(data); err != nil || !reflect.DeepEqual(&got, w) {
				t.Errorf("%s: %v, %+v", x.Type().Field(i).Name, err, got.Piece)
			}
		}
	}
}

// TestEncodeMore has what is more than 32 bits, or more than there is, be an error.
func TestEncodeMore(t *testing.T) {
	w := &Window{Piece: &reorder.Piece{Steps: make([]reorder.Step, 2), Events: make([]event.Event, 2)}}
	data, _ := w.AppendBinary(nil)
	for i := range data {
		for _, b := range []byte{0x80, 0xff, 0x7f} {
			bad := append([]byte(nil), data...)
			bad[i] = b
			new(Window).UnmarshalBinary(bad) // must not panic
		}
	}
	if new(Window).UnmarshalBinary(append(data, 0)) == nil {
		t.Error("no error")
	}
}
