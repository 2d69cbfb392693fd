// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

// artifactsFile is added to package testing: what other programs learn of a test that fails by a
// finding. With -json that is an attribute, and with -artifacts the command puts the reports into
// the test's folder.
const artifactsFile = `package testing

import (
	"strconv"
	_ "unsafe"
)

//go:linkname commute_testArtifacts runtime.commute_testArtifacts
func commute_testArtifacts(name, dir string)

func commuteArtifacts(c *common) {
	if c.chatty != nil && c.chatty.json {
		c.Attr("commute.findings", strconv.Itoa(commute_testFindings()))
	}
	if artifacts == nil || !*artifacts {
		return
	}
	c.artifactDirOnce.Do(func() { c.artifactDir, c.artifactDirErr = c.makeArtifactDir() })
	if c.artifactDirErr == nil {
		commute_testArtifacts(c.name, c.artifactDir)
	}
}
`
