// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package models has types of known behaviour, none of which has a specification. Tests of package
// spectest infer their specifications, and hold these against the types themselves, in all small
// states. So their state is in plain fields.
package models
