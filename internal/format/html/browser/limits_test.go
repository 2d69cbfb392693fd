// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/commutego/commute/report"
)

// many is a run with so many findings, each of other places.
func many(t *testing.T, n int) *report.Run {
	t.Helper()
	base := sample(t)
	run := new(report.Run)
	for i := range n {
		f := *base.Findings[i%len(base.Findings)]
		f.Package = fmt.Sprintf("example.com/p%d", i%20)
		f.Headline = fmt.Sprintf("finding %d", i)
		f.Object = &report.Object{Type: "sync.Map", Name: fmt.Sprintf("Cache.values%d", i/3)}
		run.Findings = append(run.Findings, &f)
	}
	return run
}

// TestMany has the tree of the page stay small, however much was found.
func TestMany(t *testing.T) {
	const n = 10000
	b := opened(t, many(t, n))
	nodes := `document.getElementsByTagName("*").length < 4000`
	b.is(`byId("count").textContent`, "10,000 findings")
	b.is(nodes, true)
	b.is(`document.querySelectorAll(".row").length < 60`, true)
	b.keys("j")
	b.is(`listBox.focus()`, nil)
	b.keys(kb.End)
	b.is(`state.open`, n-1)
	b.is(fmt.Sprintf(`!!byId("row%d")`, n-1), true) // it is in sight
	b.is(`!!byId("row0")`, false)
	b.is(nodes, true)
	b.shot("many")
	b.is(`listBox.scrollTop = 0`, 0)
	b.is(`new Promise(done => requestAnimationFrame(() =>
		requestAnimationFrame(() => done(!!byId("row0")))))`, true)
	b.keys("/finding 777")
	b.is(`byId("search").value`, "finding 777")
	b.is(`shown.map(i => findings[i].headline).join()`, found(n, "777"))
	b.is(nodes, true)
	b.keys(kb.Escape + kb.Escape + kb.Escape)
	b.is(`open(-1)`, nil)
	b.is(`document.querySelectorAll(".declarations tbody tr").length`, 200)
	b.is(`document.querySelector(".more").click()`, nil)
	b.is(`document.querySelectorAll(".declarations tbody tr").length`, 400)
	b.is(`drawPaper(); paper.querySelectorAll("article, .rest li").length`, n)
	b.quiet()
}

// TestNothing has a page of a run in which nothing was found, and keys do no harm.
func TestNothing(t *testing.T) {
	b := opened(t, new(report.Run))
	b.is(`byId("title").textContent`, "Nothing was found")
	b.keys("jk" + kb.Enter + kb.Escape + "/x" + kb.Enter)
	b.is(`document.querySelector(".none").textContent`, "Nothing was found.")
	b.quiet()
}

// found are the headlines of findings that have a number in them, or in their declarations.
func found(n int, number string) string {
	var list []string
	for i := range n {
		if strings.Contains(fmt.Sprint(i, " ", i/3), number) {
			list = append(list, fmt.Sprintf("finding %d", i))
		}
	}
	return strings.Join(list, ",")
}

// TestHostile has text that would be code be shown as text.
func TestHostile(t *testing.T) {
	const text = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028"
	run := sample(t)
	for _, f := range run.Findings {
		f.Headline, f.Mend, f.Package, f.Report = text, text, text, text
		for i := range f.Steps {
			f.Steps[i].Does = text
		}
	}
	b := opened(t, run)
	for i := range run.Findings {
		b.is(fmt.Sprintf(`open(%d)`, i), nil)
		b.is(`document.querySelectorAll("img").length`, 0)
		b.is(`byId("title").textContent`, text)
	}
	b.is(`open(0)`, nil)
	b.is(`document.querySelector(".does").textContent`, text)
	b.quiet()
}

// TestScriptsOff has a plain list where scripts are off.
func TestScriptsOff(t *testing.T) {
	run := sample(t)
	b := start(t)
	call(b, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true})
	b.load(page(t, run), 1000, 800)
	nodes, err := chromedp.Run(b.ctx, chromedp.Nodes(chromedp.CSSAll(".plain li")))
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != len(run.Findings) {
		t.Errorf("%d findings in the list, want %d", len(nodes), len(run.Findings))
	}
	b.shot("plain")
}

// TestPolicy has the browser refuse what the page's policy doesn't allow: a request, a script, and
// a style.
func TestPolicy(t *testing.T) {
	b := opened(t, sample(t))
	b.is(`fetch("data:text/plain,x").then(() => "loaded", () => "refused")`, "refused")
	b.is(`(() => {
		const s = document.createElement("script");
		s.textContent = "window.ran = 1";
		document.body.append(s);
		return window.ran === undefined;
	})()`, true)
	b.is(`(() => {
		const s = document.createElement("style");
		s.textContent = "body { display: none }";
		document.head.append(s);
		return getComputedStyle(document.body).display;
	})()`, "flex")
}
