// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package io

import "testing"

// What only Linux tells apart.

func TestRaceCrossedUnix(t *testing.T)    { crossed(t, unix) }
func TestRaceCrossedPipes(t *testing.T)   { crossed(t, osPipes) }
func TestRaceCrossedSockets(t *testing.T) { crossed(t, sockets) }
func TestRaceBackUnix(t *testing.T)       { back(t, unix) }
func TestRaceBackSockets(t *testing.T)    { back(t, sockets) }
