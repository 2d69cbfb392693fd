// One finding, whole.

const go = /(\/\/.*$)|("(?:[^"\\]|\\.)*"|`[^`]*`|'(?:[^'\\]|\\.)*')|\b(break|case|chan|const|continue|default|defer|else|fallthrough|for|func|go|goto|if|import|interface|map|package|range|return|select|struct|switch|type|var|nil|true|false)\b|\b(\d[\w.]*)\b/g;

// highlight is a line of Go in spans.
function highlight(text) {
	const list = [];
	let end = 0;
	for (const m of text.matchAll(go)) {
		if (m.index > end) list.push(text.slice(end, m.index));
		list.push(make("span", { class: m[1] ? "comment" : m[2] ? "string" : m[3] ? "keyword" : "literal" }, m[0]));
		end = m.index + m[0].length;
	}
	list.push(text.slice(end));
	return list;
}

function section(title, ...children) {
	return make("section", {}, make("h2", {}, title), ...children);
}

// drawFinding is a finding as an element. On paper all is unfolded.
function drawFinding(i, paper) {
	const f = findings[i];
	const parts = [
		make("header", {},
			make("p", { class: "labels" }, badge(f.evidence), make("span", { class: "kind" }, f.kind),
				f.effect && make("span", { class: "effect" }, f.effect)),
			make(paper ? "h2" : "h1", { id: paper ? undefined : "title" }, f.headline),
			make("p", { class: "about" }, make("b", {}, f.decl), f.declAt ? " " + f.declAt : "")),
	];
	if (f.charts) {
		const box = make("div", { class: "charts" }, f.charts.map((c, n) => drawChart(f, n, false)));
		box.style.setProperty("--lanes", f.lanes.length);
		parts.push(make("section", { class: "orders", "aria-label": "Goroutines over time" }, box, legend(f)));
	}
	for (const x of f.explored || []) parts.push(drawExplored(x));
	parts.push(said(f));
	if (f.fixes) parts.push(section("Changes that mend it", f.fixes.map(drawFix)));
	if (f.source) parts.push(section("Source", make("div", { class: "excerpts" }, f.source.map(drawSource))));
	const stacks = drawStacks(f, paper);
	if (stacks.length > 0) parts.push(section("Stacks", make("div", { class: "stacks" }, stacks)));
	if (f.facts) parts.push(section("More", make("dl", { class: "facts" }, f.facts.map(([name, value]) =>
		make("div", {}, make("dt", {}, name), make("dd", {}, value))))));
	if (!paper && f.report) parts.push(make("details", { class: "report", open: f.kind === "failed test" },
		make("summary", {}, f.kind === "failed test" ? "What the test has printed" : "The report as text"),
		make("pre", { tabindex: 0 }, f.report.map(l => data.lines[l]).join("\n"))));
	return make("article", { class: "finding" }, parts);
}

// drawExplored is the schedule by which an explored test had the finding.
function drawExplored(x) {
	const box = make("div", { class: "charts" }, x.charts.length > 0 && x.events.length > 0 && drawChart(x, 0, true));
	box.style.setProperty("--lanes", x.lanes.length);
	for (const e of box.querySelectorAll(".event")) delete e.dataset.e; // its numbers are others
	return make("section", { class: "orders explored" }, make("h2", {}, "Explored: " + x.title), box,
		x.replay && make("p", { class: "legend" }, "to run it so again: ", make("code", {}, x.replay)));
}

// said is what the report says in words.
function said(f) {
	const list = [["What can go wrong", f.harm], ["Evidence", f.because && f.evidence + ": " + f.because],
		["How to mend it", f.mend], ["How to keep it silent", f.silence]];
	const items = list.filter(x => x[1]).map(([name, value]) =>
		make("div", {}, make("dt", {}, name), make("dd", {}, value)));
	if (f.page) items.push(make("div", {}, make("dt", {}, "More of it"),
		make("dd", {}, make("code", {}, "commute explain " + f.page))));
	return make("dl", { class: "said" }, items);
}

function drawSource(s) {
	const x = data.excerpts[s.x], about = new Set(s.lines);
	return make("figure", { class: "excerpt" },
		make("figcaption", {}, x.file + ":" + s.lines.join(", ")),
		make("pre", { tabindex: 0 }, x.text.map((text, n) => make("span", { class: about.has(x.first + n) ? "line hit" : "line" },
			make("span", { class: "nr" }, String(x.first + n)), make("span", { class: "code" }, highlight(text), "\n")))));
}

function drawFix(x) {
	const kinds = { "-": "line gone", "+": "line new", "@": "line file" };
	return make("figure", { class: "excerpt fix" }, make("figcaption", {}, x.message),
		x.diff && make("pre", { tabindex: 0 }, x.diff.map(l => make("span", { class: kinds[l[0]] || "line" },
			make("span", { class: "code" }, l[0] === "@" ? l.slice(2) : l, "\n")))));
}

// drawStack is a stack. Frames of Go's own code that follow each other are folded.
function drawStack(n, paper) {
	const frames = data.stacks[n - 1].map(k => data.frames[k]), list = [];
	const one = x => make("li", { class: x.l ? "library" : undefined }, make("code", {}, x.f), make("span", { class: "at" }, x.p));
	for (let i = 0; i < frames.length;) {
		let j = i;
		while (j < frames.length && frames[j].l) j++;
		if (j - i < 2) { list.push(one(frames[i])); i++; continue; }
		const run = frames.slice(i, j);
		list.push(make("li", { class: "library" }, paper ? plural(run.length, "frame") + " of Go's own code"
			: make("details", {}, make("summary", {}, plural(run.length, "frame") + " of Go's own code"),
				make("ol", {}, run.map(one)))));
		i = j;
	}
	return make("ol", { class: "stack" }, list);
}

// drawStacks has those of the events that take part, and those of the go statements.
function drawStacks(f, paper) {
	const list = [], seen = new Set();
	const add = (title, stack, isOpen) => {
		if (!stack || seen.has(title + stack)) return;
		seen.add(title + stack);
		list.push(make("details", { open: paper || isOpen }, make("summary", {}, title), drawStack(stack, paper)));
	};
	const events = f.events || [];
	events.forEach((e, i) => {
		if (events.length <= 8 || takesPart(f, i)) add(f.lanes[e.l].name + ": " + e.t + (e.p ? " at " + e.p : ""), e.s, list.length < 4);
	});
	for (const l of f.lanes || []) add(l.name + " was " + (l.note || "started"), l.s, false);
	return list;
}

// drawTip fills the box beside an event.
function drawTip(f, i) {
	const e = f.events[i];
	const list = [make("p", { class: "lane" + e.l % 6 }, make("b", {}, f.lanes[e.l].name), e.n ? " · event " + e.n : ""),
		make("p", { class: "does" }, e.t)];
	if (e.p || e.f) list.push(make("p", { class: "at" }, [e.p, e.f].filter(Boolean).join("  ")));
	if (e.m) list.push(make("p", { class: "at" }, e.m));
	if (e.s) list.push(drawStack(e.s, true));
	return list;
}
