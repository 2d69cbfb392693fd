// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// RulesVariable is the environment variable with a hash of the suppressions: go test looks at files
// again only where they lie in the module, but at all variables.
const RulesVariable = "COMMUTE_RULES"

// Resolve makes paths absolute, as seen from the folder dir: each test runs in the folder of its
// own package. And it reads the files that there have to be; rules is a hash of what they say, ""
// if there are none.
func Resolve(list []Setting, dir string) (resolved []Setting, rules string, err error) {
	resolved = slices.Clone(list)
	var errs []error
	for i := range resolved {
		s := &resolved[i]
		o := Find(s.Name)
		if o.Kind != File && o.Kind != Path || slices.Contains(o.Words, s.Value) {
			continue
		}
		given := s.Value
		if !filepath.IsAbs(s.Value) {
			s.Value = filepath.Join(dir, s.Value)
		}
		if o.Kind != File {
			continue
		}
		text, err := os.ReadFile(s.Value)
		switch {
		case errors.Is(err, os.ErrNotExist):
			errs = append(errs, fmt.Errorf("%s=%s: no such file", s.Name, given))
		case err != nil:
			errs = append(errs, fmt.Errorf("%s=%s: %w", s.Name, given, errors.Unwrap(err)))
		}
		sum := sha256.Sum256(append([]byte(rules), text...))
		rules = hex.EncodeToString(sum[:12])
	}
	return resolved, rules, errors.Join(errs...)
}
