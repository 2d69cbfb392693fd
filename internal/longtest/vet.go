// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package longtest

import (
	"os"
	"strings"
)

// Unvetted has the go commands that the tests of a package run leave vet out. Before it vets a test
// go test goes through all that the test imports, once for each way in which the standard library
// is compiled, which takes seconds. .ci/run vets the modules of testdata by itself. TestMain calls
// it.
func Unvetted() {
	_ = os.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -vet=off"))
}
