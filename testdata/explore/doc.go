// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package explore has small programs that go wrong by a rare schedule only, each with one that is
// right. TestWrongX fails by itself then: by t.Error, a panic or a deadlock. It is skipped where
// schedules are not explored. TestRightX never fails.
package explore
