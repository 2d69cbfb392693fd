// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package record

import "reflect"

// Forget has the next trace define everything anew. It is for tests, which record several.
func Forget() { reflect.ValueOf(&recorded).Elem().SetZero() }
