// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/commutego/commute/internal/format/html"
	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
)

// sample is a run with findings of every shape.
func sample(t *testing.T) *report.Run {
	t.Helper()
	data, err := os.ReadFile("../testdata/run.json")
	if err != nil {
		t.Fatal(err)
	}
	run := new(report.Run)
	if err := json.Unmarshal(data, run); err != nil {
		t.Fatal(err)
	}
	return run
}

// page writes the page of a run, and returns its address.
func page(t *testing.T, run *report.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, run, location.At("..")); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(name)}).String()
}

// opened is a browser with the page of a run.
func opened(t *testing.T, run *report.Run) *browser {
	t.Helper()
	b := start(t)
	b.load(page(t, run), 1500, 1000)
	return b
}

// TestOverview has the page say how much was found, declaration by declaration, and has a
// declaration open its finding.
func TestOverview(t *testing.T) {
	run := sample(t)
	b := opened(t, run)
	b.is(`byId("count").textContent`, fmt.Sprintf("%d findings", len(run.Findings)))
	b.is(`document.querySelectorAll("#app .row").length > 5`, true)
	b.is(`[...document.querySelectorAll(".numbers td")].
		reduce((n, e) => n + (Number(e.textContent) || 0), 0)`,
		len(run.Findings))
	b.is(`document.querySelector(".declarations tbody td").textContent`, "Cache.values")
	b.shot("overview")
	b.do(chromedp.Click(chromedp.CSS(".declarations .link")))
	b.is(`byId("title").textContent.startsWith("cache.(*Cache).Get checks with Load")`, true)
	b.is(`location.hash`, "#"+run.Findings[0].Fingerprint())
	b.shot("finding")
	b.do(chromedp.Navigate(value[string](b, "location.href")), chromedp.Reload())
	b.is(`byId("title").textContent.startsWith("cache.(*Cache).Get checks with Load")`, true)
	b.quiet()
}

// TestKeys has all be done without a mouse.
func TestKeys(t *testing.T) {
	b := opened(t, sample(t))
	b.keys("j")
	b.is(`state.open`, 0)
	b.keys("jjk")
	b.is(`shown.indexOf(state.open)`, 1)
	b.keys("/")
	b.is(`document.activeElement.id`, "search")
	b.keys("dirtyread j") // in the field, a letter is a letter
	b.is(`byId("search").value`, "dirtyread j")
	b.is(`shown.length`, 0)
	b.keys(kb.Backspace + kb.Backspace)
	b.is(`shown.length`, 1)
	b.is(`findings[shown[0]].facts.some(x => x.join() === "Tests,TestRacePredictedDirtyRead")`, true)
	b.keys(kb.Enter) // from the field to the list
	b.is(`document.activeElement.id`, "list")
	b.is(`shown.indexOf(state.open)`, 0)
	b.is(`byId(listBox.getAttribute("aria-activedescendant")).getAttribute("aria-selected")`, "true")
	b.keys(kb.Enter) // to the first event
	b.is(`document.activeElement.className.startsWith("event")`, true)
	first := value[string](b, `document.activeElement.dataset.e`)
	b.keys(kb.ArrowDown)
	second := value[string](b, `document.activeElement.dataset.e`)
	if first == second {
		t.Errorf("the event below %s is the same", first)
	}
	b.keys(kb.ArrowRight) // the same event in the other order
	b.is(`document.activeElement.dataset.e`, second)
	b.is(`document.activeElement.closest(".chart").dataset.chart`, "1")
	b.is(`byId("tip").hidden`, false)
	b.keys(kb.Escape)
	b.is(`document.activeElement.id`, "list")
	b.is(`byId("tip").hidden`, true)
	b.keys(kb.Escape)
	b.is(`state.open`, -1)
	b.keys("/" + kb.Escape + kb.Escape) // empties the field, and leaves it
	b.is(`byId("search").value`, "")
	b.is(`shown.length`, len(sample(t).Findings))
	b.keys("?")
	b.is(`byId("keys").open`, true)
	b.shot("keys")
	b.keys(kb.Escape)
	b.is(`byId("keys").open`, false)
	b.quiet()
}

// TestFilters has what is shown be what passes each filter, and the numbers beside be right.
func TestFilters(t *testing.T) {
	run := sample(t)
	b := opened(t, run)
	count := func(is func(f *report.Finding) bool) (n int) {
		for _, f := range run.Findings {
			if is(f) {
				n++
			}
		}
		return n
	}
	predicted := count(func(f *report.Finding) bool { return f.Evidence == report.Predicted })
	b.is(`document.querySelector("[data-v=predicted] .number").textContent`, fmt.Sprint(predicted))
	b.do(chromedp.Click(chromedp.CSS("[data-v=predicted]")))
	b.is(`shown.length`, predicted)
	b.is(`document.activeElement.dataset.v`, "predicted")
	b.is(`document.querySelector("[data-v=predicted]").getAttribute("aria-pressed")`, "true")
	b.is(`byId("count").textContent`, fmt.Sprintf("%d of %d findings", predicted, len(run.Findings)))
	b.do(chromedp.Click(chromedp.CSS("[data-v=deadlock]")))
	both := count(func(f *report.Finding) bool {
		return f.Evidence == report.Predicted && f.Kind == report.Deadlock
	})
	b.is(`shown.length`, both)
	b.is(`document.querySelectorAll(".row").length`, both)
	b.do(chromedp.Click(chromedp.ID("clear")))
	b.is(`shown.length`, len(run.Findings))
	b.do(chromedp.SetValue(chromedp.ID("package"), "example.com/cache"))
	b.is(`byId("package").dispatchEvent(new Event("change")) &&
		shown.every(i => findings[i].package === "example.com/cache")`, true)
	b.is(`shown.length`,
		count(func(f *report.Finding) bool { return f.Package == "example.com/cache" }))
	b.quiet()
}

// TestLanes has two orders side by side, with the events of both, lines between those that
// conflict, and a box with the stack beside the event that the mouse is on.
func TestLanes(t *testing.T) {
	b := opened(t, sample(t))
	b.is(`open(findings.findIndex(f => f.headline.includes("twice") && f.lanes.length === 3))`, nil)
	b.is(`document.querySelectorAll(".chart").length`, 2)
	b.is(`(([a, b]) => a.top === b.top && a.right < b.left)(
		[...document.querySelectorAll(".chart")].map(e => e.getBoundingClientRect()))`, true)
	b.is(`[...document.querySelectorAll(".chart")].map(e => e.querySelector("b").textContent).join()`,
		"What happened,What could happen")
	b.is(`document.querySelectorAll("[data-chart='1'] .edge.conflict").length`, 2)
	b.is(`document.querySelectorAll("[data-chart='1'] .event.moved").length > 0`, true)
	b.is(`document.querySelectorAll("[data-chart='0'] .event.moved").length`, 0)
	// Lines end at the dots: the tip of each is above or below the event that it leads to.
	b.is(`[...document.querySelectorAll("[data-chart='1'] .edge")].every(g => {
		const tip = g.querySelector("path").getBoundingClientRect();
		const dot = g.closest(".chart").querySelector('[data-e="' + g.dataset.b + '"] .dot').
			getBoundingClientRect();
		const x = Math.abs(tip.left + tip.right - dot.left - dot.right) / 2;
		const y = Math.abs(tip.top + tip.bottom - dot.top - dot.bottom) / 2;
		return x < 2 && y < 16;
	})`, true)
	b.shot("witness")
	b.do(chromedp.ScrollIntoView(chromedp.CSS("[data-chart='1'] .event.part")))
	const event = `(document.querySelector("[data-chart='1'] .event.part").getBoundingClientRect())`
	x := value[float64](b, `(r => r.left + 60)`+event)
	y := value[float64](b, `(r => r.top + 15)`+event)
	b.do(chromedp.MouseEvent("mouseMoved", x, y))
	b.is(`byId("tip").hidden`, false)
	b.is(`byId("tip").textContent.includes("example.com/transactions.(*post).twice")`, true)
	b.is(`document.querySelectorAll(".event.hot").length`, 2) // in both orders
	b.is(`document.querySelectorAll(".edge.hot").length >= 1`, true)
	b.shot("hover")
	b.do(chromedp.MouseEvent("mouseMoved", 1400, 10))
	b.is(`byId("tip").hidden`, true)
	b.is(`document.querySelectorAll(".hot").length`, 0)
	// What is folded can be unfolded: then all events are there.
	b.is(`document.querySelectorAll("[data-chart='1'] .fold").length > 0`, true)
	b.is(`document.querySelector("[data-chart='1'] .fold").click()`, nil)
	b.is(`document.querySelectorAll("[data-chart='1'] .event").length ===
		findings[state.open].events.length`, true)
	b.quiet()
}

// TestPredicted has what happened beside what could, of a prediction that a running program has
// made: its report tells the order of the run.
func TestPredicted(t *testing.T) {
	b := opened(t, sample(t))
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.is(`open(findings.findIndex(f => f.headline.includes("(*guarded).get")))`, nil)
		b.is(`[...document.querySelectorAll(".chart")].
			map(e => e.querySelector("b").textContent).join()`, "What happened,What could happen")
		places := func(chart int) string {
			return fmt.Sprintf(`[...document.querySelectorAll("[data-chart='%d'] .event .at")].
				map(e => e.textContent).join()`, chart)
		}
		b.is(places(0), "predict_test.go:313,predict_test.go:321,predict_test.go:337")
		b.is(places(1), "predict_test.go:313,predict_test.go:337,predict_test.go:321")
		b.is(`document.querySelectorAll("[data-chart='0'] .edge.conflict").length`, 2)
		b.is(`document.querySelector("[data-chart='1'] .event.moved .at").textContent`,
			"predict_test.go:337")
		b.do(chromedp.Click(chromedp.CSS("[data-chart='1'] .event.moved")))
		b.is(`byId("tip").textContent.includes("· event")`, false) // it has a number in no trace
		b.readable(scheme)
		b.keys(kb.Escape)
		b.shot("predicted-" + scheme)
	}
	b.quiet()
}

// TestFailure has an explored failure without a finding: in the list and the numbers, with its
// schedule and what the test has printed.
func TestFailure(t *testing.T) {
	run := sample(t)
	run.Failures = []report.Failure{{Package: "example.com/queue",
		Why:    "panic: send on closed channel",
		Output: "panic: send on closed channel\n\ngoroutine 9 [running]:\n",
		Schedule: report.Schedule{Test: "TestClose", Replay: "commute test -replay=TestClose@1~abc .",
			Steps: []report.Step{
				{Goroutine: "goroutine 1.1", At: "/src/queue/queue_test.go:16", Does: "close(c)",
					Forced: true},
				{Goroutine: "goroutine 1.2", At: "/src/queue/queue_test.go:19", Does: "c <- 1"}}}}}
	b := opened(t, run)
	b.is(`byId("count").textContent`, fmt.Sprintf("%d findings", len(run.Findings)+1))
	b.do(chromedp.Click(chromedp.CSS("[data-v='failed test']")))
	b.is(`shown.length`, 1)
	b.is(`document.querySelectorAll("#app .row").length`, 1)
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.is(`open(shown[0])`, nil)
		b.is(`byId("title").textContent`, "TestClose: panic: send on closed channel")
		b.is(`[...document.querySelectorAll(".explored .head b")].map(e => e.textContent).join()`,
			"goroutine 1.1,goroutine 1.2")
		b.is(`[...document.querySelectorAll(".explored .does")].map(e => e.textContent).join()`,
			"close(c),c <- 1")
		b.is(`document.querySelectorAll(".explored .tag.warn").length`, 1)
		b.is(`document.querySelector(".explored code").textContent`,
			"commute test -replay=TestClose@1~abc .")
		b.is(`document.querySelector(".report summary").textContent`, "What the test has printed")
		b.is(`document.querySelector(".report pre").checkVisibility() &&
			document.querySelector(".report pre").textContent.includes("goroutine 9 [running]")`, true)
		b.readable(scheme)
		b.shot("failure-" + scheme)
	}
	b.do(chromedp.Navigate(value[string](b, "location.href")), chromedp.Reload())
	b.is(`byId("title").textContent`, "TestClose: panic: send on closed channel")
	b.quiet()
}

// TestExplored has the schedule by which an explored test failed, below what happened.
func TestExplored(t *testing.T) {
	b := opened(t, sample(t))
	b.is(`open(findings.findIndex(f => f.explored))`, nil)
	b.is(`document.querySelector(".explored h2").textContent`, "Explored: TestWrongNumber")
	b.is(`[...document.querySelectorAll(".explored .head b")].map(e => e.textContent).join()`,
		"goroutine 1.1,goroutine 1.2")
	b.is(`document.querySelectorAll(".explored .event").length`, 5)
	b.is(`document.querySelector(".explored .tag").closest(".event").
		querySelector(".does").textContent`,
		"before next.Store(got[i])")
	b.is(`document.querySelector(".explored code").textContent.
		startsWith("commute test -replay=")`, true)
	b.do(chromedp.Click(chromedp.CSS(".explored .event"))) // it has no box, and does no harm
	b.is(`byId("tip").hidden`, true)
	b.shot("explored")
	b.quiet()
}

// TestSource has the lines of the source, and the changes that mend it.
func TestSource(t *testing.T) {
	b := opened(t, sample(t))
	b.is(`open(0)`, nil)
	b.is(`[...document.querySelectorAll(".excerpt .hit")].map(e => e.textContent.trim()).join(" ")`,
		"18\tif v, ok := c.values.Load(key); ok { 22\tc.values.Store(key, v)")
	b.is(`document.querySelector(".excerpt .keyword").textContent`, "func")
	b.is(`open(findings.findIndex(f => f.evidence === "static"))`, nil)
	b.is(`document.querySelectorAll(".fix .gone").length`, 3)
	b.is(`document.querySelector(".fix .new").textContent.trim()`,
		"+\tv, _ := c.values.LoadOrStore(key, make())")
	b.shot("fix")
	b.quiet()
}

// TestPrint has paper have the finding that is open, or all that pass the filter, and nothing of
// the window.
func TestPrint(t *testing.T) {
	run := sample(t)
	b := opened(t, run)
	b.is(`addEventListener("beforeprint", () => {
		window.articles = paper.querySelectorAll("article").length;
	})`, nil)
	print := func(name string) []byte {
		data, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
		if err != nil {
			t.Fatal(err)
		}
		if *shots != "" {
			b.write(name+".pdf", data)
		}
		return data
	}
	if all := print("print-all"); !bytes.HasPrefix(all, []byte("%PDF-")) {
		t.Error("no PDF")
	}
	b.is(`window.articles`, len(run.Findings))
	b.is(`paper.childElementCount`, 0)
	b.do(chromedp.Click(chromedp.CSS("[data-v=deadlock]")))
	print("print-deadlocks")
	b.is(`window.articles`, 3)
	b.is(`open(shown[0])`, nil)
	print("print-one")
	b.is(`window.articles`, 1)
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	b.is(`getComputedStyle(byId("app")).display`, "none")
	b.is(`drawPaper(); [...paper.querySelectorAll(".stacks > details")].every(e => e.open)`, true)
	b.is(`paper.querySelectorAll(".chart").length`, 2)
	b.is(`getComputedStyle(paper).display`, "block")
	b.quiet()
}
