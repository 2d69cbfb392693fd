// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

#include "textflag.h"

// func clobber()
TEXT ·clobber(SB), NOSPLIT, $0-0
	JMP next
next:
	MOVQ $1, BP
	RET
