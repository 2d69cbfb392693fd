// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package measure has the common parts of the commands that measure the costs of commute: copies of
// modules, the memory of a process, and means.
package measure

import (
	"cmp"
	"math"
	"slices"
)

// Median is 0 for no numbers.
func Median[T cmp.Ordered](numbers []T) (m T) {
	if len(numbers) == 0 {
		return m
	}
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[len(sorted)/2]
}

// GeometricMean is the mean of ratios, which must be positive; 0 for none.
func GeometricMean(ratios []float64) float64 {
	if len(ratios) == 0 {
		return 0
	}
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(ratios)))
}
