// Lanes: a column for each goroutine, a row for each event, lines between events that have to do
// with each other. Rows have known heights, and columns are parts of the width, so that nothing is
// measured, and a page that is printed at another width is right as well.

const headHeight = 50, eventHeight = 48, lineHeight = 17, foldHeight = 28, nameHeight = 15, dotAt = 22, dotTop = 24;
const onePage = 640; // the height up to which a chart is kept together on paper
const longText = 24; // characters beyond which a text gets one more line, or two
const svgSpace = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
	const e = document.createElementNS(svgSpace, tag);
	for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
	e.append(...children);
	return e;
}

// rowsOf are the rows of a chart: events, and runs of at least two that have no part in it, which
// are folded.
function rowsOf(f, chart, whole) {
	const list = [];
	let run = [];
	const flush = () => {
		if (run.length < 2) run.forEach(e => list.push({ event: e }));
		else list.push({ fold: run });
		run = [];
	};
	for (const e of chart.order) {
		if (f.events[e].x && !whole) { run.push(e); continue; }
		flush();
		list.push({ event: e });
	}
	flush();
	const named = firstOfBands(f, chart);
	let y = headHeight;
	for (const r of list) {
		r.gap = y;
		if (named.has(r.event)) y += nameHeight;
		r.y = y;
		r.more = r.event === undefined ? 0 : Math.min(2, Math.floor((f.events[r.event].t.length - 1) / longText));
		r.height = r.event === undefined ? foldHeight : eventHeight + r.more * lineHeight;
		y += r.height;
	}
	return list;
}

// firstOfBands are the events above which the name of a band stands.
function firstOfBands(f, chart) {
	const at = new Map(chart.order.map((e, n) => [e, n]));
	return new Set((f.bands || []).map(b => b.e.reduce((x, y) => at.get(y) < at.get(x) ? y : x)));
}

// drawChart is a figure of an order of events. whole has no events folded.
function drawChart(f, n, whole) {
	const chart = f.charts[n], list = rowsOf(f, chart, whole), at = new Map();
	for (const r of list) if (r.event !== undefined) at.set(r.event, r);
	const last = list[list.length - 1], height = last.y + last.height + 6, lanes = f.lanes.length;
	const box = make("div", { class: "lanes", role: "group", "aria-label": chart.title });
	box.style.setProperty("--lanes", lanes);
	box.style.height = height + "px";
	f.lanes.forEach((l, i) => {
		box.append(place(make("div", { class: "head lane" + i % 6, title: l.name + (l.note ? ", " + l.note : "") },
			make("b", {}, l.name), make("small", {}, l.note || "")), i, 0, headHeight, lanes));
	});
	box.append(drawBands(f, list, at, lanes), drawLines(f, chart, at, height, lanes));
	for (const r of list) box.append(r.event === undefined ? foldRow(f, n, r) : eventRow(f, chart, r, lanes));
	const first = box.querySelector(".event");
	if (first) first.tabIndex = 0;
	const figure = make("figure", { class: height < onePage ? "chart short" : "chart", "data-chart": n },
		make("figcaption", {}, make("b", {}, chart.title), make("span", {}, chart.note || ""),
			chart.left > 0 && make("span", {}, "(" + plural(chart.left, "event") + " before)")),
		make("div", { class: "scroll" }, box));
	return figure;
}

// place puts an element into a lane.
function place(e, lane, y, height, lanes) {
	e.style.left = (100 * lane / lanes) + "%";
	e.style.width = (100 / lanes) + "%";
	e.style.top = y + "px";
	e.style.height = height + "px";
	return e;
}

function eventRow(f, chart, r, lanes) {
	const e = f.events[r.event], tags = [];
	if (e.w) tags.push(make("i", { class: "tag" }, e.w));
	if (e.b && chart === f.charts[f.charts.length - 1]) tags.push(make("i", { class: "tag warn" }, "sees another write"));
	if (e.o) tags.push(make("i", { class: "tag warn" }, "another goes on"));
	const moved = (chart.moved || []).includes(r.event);
	const where = [e.p, e.f].filter(Boolean).join("  ");
	const label = f.lanes[e.l].name + ": " + e.t + (where ? ", " + where : "") + (moved ? ", moved" : "");
	const b = make("button", {
		type: "button", tabindex: -1, "data-e": r.event, "aria-label": label,
		class: "event lane" + e.l % 6 + (r.more > 0 ? " tall" + r.more : "") + (moved ? " moved" : "") + (takesPart(f, r.event) ? " part" : ""),
	},
		make("span", { class: "dot" }),
		make("span", { class: "does" }, make("span", {}, e.t)),
		make("span", { class: "where" }, placeParts(e.p || ""), tags,
			make("span", { class: "func" }, e.f || "")));
	return place(b, e.l, r.y, r.height, lanes);
}

// placeParts is a place of which the file's name is cut where there is little room, not the line.
function placeParts(at) {
	const [, file, line] = at.match(/^(.*?)(:\d+)?$/);
	return make("span", { class: "at" }, make("span", { class: "file" }, file), line && make("span", {}, line));
}

function takesPart(f, event) { return (f.pairs || []).some(p => p.a === event || p.b === event); }

// foldRow stands for events that have no part in the finding.
function foldRow(f, n, r) {
	const b = make("button", {
		type: "button", class: "fold",
		click: ev => {
			const old = ev.currentTarget.closest(".chart"), fresh = drawChart(f, n, true);
			old.replaceWith(fresh);
			const e = fresh.querySelector(`[data-e="${r.fold[0]}"]`);
			if (e) e.focus();
		},
	}, "⋯ " + plural(r.fold.length, "event") + " that have no part in it");
	return place(b, 0, r.y, r.height, 1);
}

// drawBands has transactions and critical sections, and the lifelines behind.
function drawBands(f, list, at, lanes) {
	const all = document.createDocumentFragment(), last = list[list.length - 1];
	f.lanes.forEach((l, i) => {
		all.append(place(make("div", { class: "life lane" + i % 6 }), i, headHeight - 4,
			last.y + last.height - headHeight + 4, lanes));
	});
	for (const b of f.bands || []) {
		const ys = b.e.map(e => at.get(e)).filter(Boolean);
		if (ys.length === 0) continue;
		const top = Math.min(...ys.map(r => r.y)), end = Math.max(...ys.map(r => r.y + r.height));
		all.append(place(make("div", { class: "band lane" + b.l % 6, title: b.name },
			make("span", {}, b.name)), b.l, top - nameHeight, end - top + nameHeight - 2, lanes));
	}
	return all;
}

// drawLines has the conflicts, what waits for what, and the order of locks.
function drawLines(f, chart, at, height, lanes) {
	const s = svg("svg", { class: "lines", width: "100%", height, "aria-hidden": "true" });
	const shift = svg("g", { transform: `translate(${dotAt} 0)` });
	let n = 0;
	const line = (from, to, kind) => {
		const a = at.get(from), b = at.get(to);
		if (a && b) shift.append(route(f, from, to, a, b, kind, n++, lanes));
	};
	for (const [from, to] of chart.links || []) line(from, to, "order");
	for (const p of f.pairs || []) {
		const a = at.get(p.a), b = at.get(p.b);
		if (!a || !b || f.events[p.a].l === f.events[p.b].l) continue;
		if (p.k === "waits" && chart !== f.charts[f.charts.length - 1]) continue; // it has not come to that
		if (p.k === "conflict" && a.y > b.y) line(p.b, p.a, p.k); else line(p.a, p.b, p.k);
	}
	s.append(shift);
	return s;
}

// route is a line from one event to another: along the lane to the space beside the row that it
// leads to, across, and into the dot. A line over several rows runs beside its lane.
function route(f, from, to, a, b, kind, n, lanes) {
	const x = lane => (100 * lane / lanes) + "%";
	const la = f.events[from].l, lb = f.events[to].l, down = a.y < b.y ? 1 : -1;
	const ya = a.y + dotTop, yb = b.y + dotTop;
	const across = down > 0 ? b.gap - 1 + (n % 3 - 1) * 3 : b.y + b.height - 1 - (n % 3 - 1) * 3;
	const tip = yb - down * 11;
	const side = Math.abs(across - ya) > eventHeight * 1.5 ? 8 + n % 3 * 4 : 0;
	const g = svg("g", { class: "edge " + kind, "data-a": from, "data-b": to });
	const seg = (x1, y1, x2, y2, dx) => g.append(svg("line", dx
		? { x1, y1, x2, y2, transform: `translate(${-dx} 0)` } : { x1, y1, x2, y2 }));
	if (side > 0) {
		g.append(svg("svg", { x: x(la), overflow: "visible" }, svg("line", { x1: 0, y1: ya, x2: -side, y2: ya }),
			svg("line", { x1: -side, y1: across, x2: 0, y2: across })));
	}
	seg(x(la), ya, x(la), across, side);
	seg(x(la), across, x(lb), across, 0);
	seg(x(lb), across, x(lb), tip, 0);
	g.append(svg("svg", { x: x(lb), y: tip, overflow: "visible" },
		svg("path", { d: down > 0 ? "M-4.5 -4L0 4L4.5 -4Z" : "M-4.5 4L0 -4L4.5 4Z" })));
	return g;
}

// legend says what the lines are, of those that there are.
function legend(f) {
	const kinds = new Set((f.pairs || []).filter(p => f.events[p.a].l !== f.events[p.b].l).map(p => p.k));
	if (f.charts.some(c => (c.links || []).length > 0)) kinds.add("order");
	const text = {
		conflict: "conflict: the order makes a difference", waits: "waits for",
		order: "order: by a lock, or what is like it",
	};
	const moved = f.charts.some(c => (c.moved || []).length > 0);
	return make("p", { class: "legend" },
		Object.keys(text).filter(k => kinds.has(k)).map(k => make("span", { class: "key " + k }, text[k])),
		moved && make("span", { class: "key moved" }, "moved: elsewhere than in this run"));
}
