// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"encoding/binary"
	"io"
	"time"
)

// ending finds the method that ends the program: its call is announced last when cases that have
// ended it are run again. It says how the program ended, "" if it didn't end again.
func (c *client) ending(cases []testCase) (method int, how string, err error) {
	c.stop()
	if err := c.start(); err != nil {
		return 0, "", err
	}
	if err := c.send('T', cases...); err != nil {
		return 0, "", err
	}
	timer := time.AfterFunc(10*c.timeout+time.Minute, func() { c.cmd.Process.Kill() })
	defer timer.Stop()
	method = -1
	for {
		var size [4]byte
		if _, err := io.ReadFull(c.from, size[:]); err != nil {
			break
		}
		frame := make([]byte, binary.LittleEndian.Uint32(size[:]))
		if _, err := io.ReadFull(c.from, frame); err != nil || len(frame) < 2 || frame[0] != 'C' {
			return 0, "", err
		}
		method = int(frame[1])
	}
	if method < 0 {
		return 0, "", nil
	}
	c.cmd.Wait()
	return method, c.cmd.ProcessState.String(), nil
}
