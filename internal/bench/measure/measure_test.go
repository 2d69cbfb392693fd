// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package measure

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

func TestMedian(t *testing.T) {
	if got := Median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("Median = %v, want 2", got)
	}
	if got := Median[float64](nil); got != 0 {
		t.Errorf("Median of nothing = %v, want 0", got)
	}
}

func TestGeometricMean(t *testing.T) {
	if got := GeometricMean([]float64{2, 0.5, 8}); math.Abs(got-2) > 1e-9 {
		t.Errorf("GeometricMean = %v, want 2", got)
	}
	if got := GeometricMean(nil); got != 0 {
		t.Errorf("GeometricMean of nothing = %v, want 0", got)
	}
}

// TestPeak has a child that uses 64 MB.
func TestPeak(t *testing.T) {
	const size = 64 << 20
	if os.Getenv("MEASURE_CHILD") != "" {
		block := make([]byte, size)
		for i := range block {
			block[i] = 1
		}
		runtime.KeepAlive(block)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPeak$")
	cmd.Env = append(cmd.Environ(), "MEASURE_CHILD=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	switch peak := Peak(cmd.ProcessState); {
	case peak == 0 && runtime.GOOS == "windows":
		t.Skip("not known here")
	case peak < size || peak > 16*size:
		t.Errorf("peak = %d, want a little more than %d", peak, size)
	}
	if got := Peak(nil); got != 0 {
		t.Errorf("Peak(nil) = %d, want 0", got)
	}
}
