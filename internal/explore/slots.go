// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The test binaries of several packages are explored at once, each by a process that starts others.
// All of these together are as many as the plan says: each has a slot, which is a file that is
// locked.

// slotWait is how long it is waited until slots are looked at again.
const slotWait = 5 * time.Millisecond

// slot takes a slot, and returns a function that frees it.
func (p *Plan) slot(ctx context.Context) (free func(), err error) {
	if p.Told == "" || p.Procs < 1 {
		return func() {}, nil
	}
	for {
		for i := range p.Procs {
			name := filepath.Join(p.Told, fmt.Sprintf("slot-%d", i))
			f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
			if err != nil {
				return nil, err
			}
			if lockFile(f) {
				return func() { f.Close() }, nil
			}
			f.Close()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(slotWait):
		}
	}
}
