// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !amd64 && !arm64

package host

// FramePointers says whether frames have pointers to those of their callers.
const FramePointers = false
