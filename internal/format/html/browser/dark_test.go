// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// TestDark has colours for the dark that can be read.
func TestDark(t *testing.T) {
	b := opened(t, sample(t))
	light := value[string](b, `getComputedStyle(document.body).backgroundColor`)
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		for i := range sample(t).Findings {
			b.is(fmt.Sprintf(`open(%d)`, i), nil)
			b.readable(scheme)
		}
		b.is(`open(-1)`, nil)
		b.readable(scheme)
	}
	if dark := value[string](b, `getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("the background is %s in the dark as well", dark)
	}
	b.shot("dark-overview")
	b.is(`open(findings.findIndex(f => f.kind === "deadlock"))`, nil)
	b.shot("dark")
	b.quiet()
}

// readable has text be told from what is behind it.
func (b *browser) readable(scheme string) {
	b.t.Helper()
	for _, bad := range value[[]string](b, contrast) {
		b.t.Errorf("%s: %s", scheme, bad)
	}
}

// contrast is the text in sight of which the colour is too near to that of what is behind, by the
// ratio of WCAG 2: 4.5 to 1.
const contrast = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	canvas.canvas.width = canvas.canvas.height = 1;
	const rgba = (colors) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colors) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255);
	};
	const light = c => c.slice(0, 3).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const bad = [], done = new Set();
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		if (e.offsetParent === null) continue;
		if (e.closest(":disabled")) continue;
		const style = getComputedStyle(e), behind = [];
		for (let up = e; up; up = up.parentElement) behind.unshift(getComputedStyle(up).backgroundColor);
		const key = style.color + behind;
		if (done.has(key)) continue;
		done.add(key);
		const a = light(rgba(behind)), b = light(rgba([...behind, style.color]));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		const what = e.className + " " + e.textContent.slice(0, 30);
		if (ratio < 4.5) bad.push(what + ": " + ratio.toFixed(2));
	}
	return bad;
})()`
