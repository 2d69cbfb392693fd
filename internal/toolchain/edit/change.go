// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edit

import "maps"

// A Change is edits of a package's files, files to leave out, and files to add.
type Change struct {
	Edits   map[string][]Edit // by the name of a file, at offsets in it as it was read
	Removed map[string]bool   // files that are left out
	Added   []Added
}

// Added is a new file of the package.
type Added struct {
	Name string
	Data []byte // with a line directive, if it needs one
}

// Edit adds an edit of a file.
func (c *Change) Edit(name string, e Edit) {
	if c.Edits == nil {
		c.Edits = make(map[string][]Edit)
	}
	c.Edits[name] = append(c.Edits[name], e)
}

// Remove leaves a file out.
func (c *Change) Remove(name string) {
	if c.Removed == nil {
		c.Removed = make(map[string]bool)
	}
	c.Removed[name] = true
}

// Then adds another change of the same files. Offsets of both are in the files as they were read.
// Two insertions at one place stand in this order.
func (c *Change) Then(next Change) {
	for name, edits := range next.Edits {
		for _, e := range edits {
			c.Edit(name, e)
		}
	}
	if len(next.Removed) > 0 && c.Removed == nil {
		c.Removed = make(map[string]bool)
	}
	maps.Copy(c.Removed, next.Removed)
	c.Added = append(c.Added, next.Added...)
}

// Empty reports whether nothing is to be done.
func (c *Change) Empty() bool { return len(c.Edits)+len(c.Removed)+len(c.Added) == 0 }
