// What is open, the overview, keys, and paper.

const main = byId("main"), tip = byId("tip"), paper = byId("paper"), keys = byId("keys");
const rowsAtOnce = 200; // of the overview, and of paper

// open opens a finding, or with -1 the overview.
function open(i, focus) {
	state.open = i;
	hideTip();
	main.replaceChildren(i < 0 ? drawOverview() : drawFinding(i, false));
	main.scrollTop = 0;
	const name = i < 0 ? "" : "#" + names[i];
	if (location.hash !== name) history.replaceState(null, "", name || location.pathname + location.search);
	byId("toOverview").disabled = i < 0;
	if (i >= 0) reveal(i);
	drawList();
	if (focus) main.focus();
}

// refilter shows what the filter lets through now.
function refilter() {
	filter();
	layRows();
	listBox.scrollTop = 0;
	drawFilters();
	byId("count").textContent = filtered() ? shown.length.toLocaleString("en") + " of " + plural(findings.length, "finding")
		: plural(findings.length, "finding");
	if (state.open < 0) open(-1); else { reveal(state.open); drawList(); }
}

function drawFilters() {
	chips("evidence", (a, b) => evidences.indexOf(a) - evidences.indexOf(b));
	chips("kind", (a, b) => a < b ? -1 : 1);
	const packages = counted("package"), box = byId("package");
	box.replaceChildren(make("option", { value: "" }, "All packages"), ...[...packages.keys()].filter(Boolean).sort()
		.map(p => make("option", { value: p, selected: p === state.package }, p + " (" + packages.get(p) + ")")));
	box.hidden = packages.size < 2;
	byId("clear").hidden = !filtered();
}

// chips are switches for the values of a field.
function chips(field, compare) {
	const counts = counted(field), box = byId(field);
	const focused = document.activeElement && box.contains(document.activeElement) && document.activeElement.dataset.v;
	box.replaceChildren(...[...counts.keys()].sort(compare).map(v => make("button", {
		type: "button", "data-v": v, "aria-pressed": state[field].has(v) ? "true" : "false",
		class: "chip " + (field === "evidence" ? v : ""),
		click: () => { state[field].delete(v) || state[field].add(v); refilter(); },
	}, v, make("span", { class: "number" }, counts.get(v).toLocaleString("en")))));
	box.hidden = counts.size < 2;
	if (focused) [...box.children].find(e => e.dataset.v === focused)?.focus();
}

// drawOverview has the numbers, and the declarations.
function drawOverview() {
	const kinds = [...new Set(shown.map(i => findings[i].kind))].sort();
	const rows = evidences.filter(e => shown.some(i => findings[i].evidence === e));
	const count = new Map();
	for (const i of shown) {
		const key = findings[i].evidence + "\n" + findings[i].kind;
		count.set(key, (count.get(key) || 0) + 1);
	}
	return make("div", { class: "overview" },
		make("h1", { id: "title" }, shown.length === 0 ? (findings.length === 0 ? "Nothing was found" : "No finding passes the filter")
			: plural(shown.length, "finding") + " in " + plural(groups.length, "declaration")),
		shown.length > 0 && make("table", { class: "numbers" },
			make("thead", {}, make("tr", {}, make("td"), kinds.map(k => make("th", { scope: "col" }, k)))),
			make("tbody", {}, rows.map(e => make("tr", {}, make("th", { scope: "row" }, badge(e)),
				kinds.map(k => make("td", {}, (count.get(e + "\n" + k) || "·").toLocaleString("en"))))))),
		shown.length > 0 && drawDeclarations());
}

function drawDeclarations() {
	const body = make("tbody"), more = make("button", { type: "button", class: "more" });
	let n = 0;
	const add = () => {
		const list = groups.slice(n, n + rowsAtOnce);
		n += list.length;
		body.append(...list.map(declarationRow));
		more.hidden = n >= groups.length;
		more.textContent = plural(Math.min(rowsAtOnce, groups.length - n), "more declaration");
	};
	more.addEventListener("click", add);
	add();
	return make("div", {}, make("table", { class: "declarations" },
		make("thead", {}, make("tr", {}, ["Declaration", "Declared at", "Findings", "Evidence", "What can go wrong"].map(t =>
			make("th", { scope: "col" }, t)))), body), more);
}

function declarationRow(g) {
	const of = g.list.map(i => findings[i]), effects = new Set(of.map(f => f.effect || f.kind));
	const found = evidences.filter(e => of.some(f => f.evidence === e));
	return make("tr", {},
		make("td", {}, make("button", { type: "button", class: "link", "data-open": g.list[0] }, g.decl)),
		make("td", { class: "at" }, g.declAt), make("td", { class: "number" }, String(g.list.length)),
		make("td", {}, found.map(badge)), make("td", {}, [...effects].join(", ")));
}

// step opens the finding that is n further on in the list.
function step(n) {
	if (shown.length === 0) return;
	const at = position.has(state.open) ? position.get(state.open) + n : (n < 0 ? shown.length - 1 : 0);
	open(shown[Math.max(0, Math.min(shown.length - 1, at))]);
}

// The box beside an event, and what lights up with it.
let tipFor = null;
function showTip(e) {
	if (tipFor === e) return;
	hideTip();
	if (e.dataset.e === undefined) return; // of a schedule: all is in the row
	tipFor = e;
	const i = Number(e.dataset.e), box = e.getBoundingClientRect();
	tip.replaceChildren(...drawTip(findings[state.open], i));
	tip.hidden = false;
	const w = tip.offsetWidth, h = tip.offsetHeight;
	tip.style.left = Math.max(8, Math.min(box.left + 30, innerWidth - w - 8)) + "px";
	tip.style.top = (box.bottom + h + 8 < innerHeight ? box.bottom + 2 : Math.max(8, box.top - h - 2)) + "px";
	e.setAttribute("aria-describedby", "tip");
	for (const x of main.querySelectorAll(`[data-e="${i}"], [data-a="${i}"], [data-b="${i}"]`)) x.classList.add("hot");
}

function hideTip() {
	if (tipFor) tipFor.removeAttribute("aria-describedby");
	tipFor = null;
	tip.hidden = true;
	for (const x of main.querySelectorAll(".hot")) x.classList.remove("hot");
}

main.addEventListener("mouseover", ev => {
	const e = ev.target.closest(".event");
	if (e) showTip(e); else if (!main.querySelector(".event:focus")) hideTip();
});
main.addEventListener("mouseleave", () => { if (!main.querySelector(".event:focus")) hideTip(); });
main.addEventListener("focusin", ev => { const e = ev.target.closest(".event"); if (e) showTip(e); else hideTip(); });
main.addEventListener("focusout", hideTip);
main.addEventListener("scroll", hideTip);
main.addEventListener("click", ev => {
	const link = ev.target.closest("[data-open]"), event = ev.target.closest(".event");
	if (link) open(Number(link.dataset.open), true);
	if (event) { event.focus(); showTip(event); }
});

// moveEvent goes from the event that has the focus to another one, by an arrow key.
function moveEvent(e, key) {
	const chart = e.closest(".chart"), list = [...chart.querySelectorAll(".event")];
	let to = null;
	if (key === "ArrowDown") to = list[list.indexOf(e) + 1];
	if (key === "ArrowUp") to = list[list.indexOf(e) - 1];
	if (key === "ArrowLeft" || key === "ArrowRight") {
		const other = [...main.querySelectorAll(".chart")].find(c => c !== chart);
		to = other && other.querySelector(`[data-e="${e.dataset.e}"]`);
	}
	if (!to) return false;
	for (const x of main.querySelectorAll(".event[tabindex='0']")) x.tabIndex = -1;
	to.tabIndex = 0;
	to.focus();
	return true;
}

// escape goes back one step.
function escape() {
	if (document.activeElement === byId("search")) {
		if (state.query !== "") { byId("search").value = state.query = ""; refilter(); } else listBox.focus();
	} else if (main.contains(document.activeElement) && state.open >= 0 && document.activeElement !== main) {
		listBox.focus();
	} else open(-1);
}

// enter goes to the events of the finding that is open, or opens the first.
function enter() {
	if (state.open < 0 || !position.has(state.open)) step(1);
	const e = main.querySelector(".event[tabindex='0']");
	if (e) e.focus(); else main.focus();
}

// The key that leads to the field isn't meant to be in it. A busy browser may type it all the same.
let searching = false;
document.addEventListener("keyup", () => { searching = false; });
byId("search").addEventListener("beforeinput", ev => { if (searching && ev.data === "/") ev.preventDefault(); });

document.addEventListener("keydown", ev => {
	if (ev.ctrlKey || ev.metaKey || ev.altKey || keys.open) return;
	const at = document.activeElement, typing = at && (at.tagName === "SELECT" || at === byId("search"));
	const arrow = ev.key.startsWith("Arrow");
	const does = () => {
		if (ev.key === "Escape") { hideTip(); escape(); return true; }
		if (at === byId("search") && (ev.key === "Enter" || ev.key === "ArrowDown")) { step(0); listBox.focus(); return true; }
		if (typing) return false;
		if (arrow && at && at.classList.contains("event")) return moveEvent(at, ev.key);
		if (at === listBox && ev.key === "Enter" || at === document.body && ev.key === "Enter") { enter(); return true; }
		if (at === listBox && ev.key === "Home") { step(-findings.length); return true; }
		if (at === listBox && ev.key === "End") { step(findings.length); return true; }
		if (ev.key === "j" || at === listBox && ev.key === "ArrowDown") { step(1); return true; }
		if (ev.key === "k" || at === listBox && ev.key === "ArrowUp") { step(-1); return true; }
		if (ev.key === "/") { searching = true; byId("search").focus(); byId("search").select(); return true; }
		if (ev.key === "?") { keys.showModal(); return true; }
		return false;
	};
	if (does()) ev.preventDefault();
});

// Paper has the finding that is open, or all that the filter lets through: so many whole, and the
// others as a list.
function drawPaper() {
	const list = state.open >= 0 ? [state.open] : shown, whole = list.slice(0, rowsAtOnce), rest = list.slice(rowsAtOnce);
	const all = whole.map(i => drawFinding(i, true));
	if (state.open < 0) all.unshift(drawOverview());
	if (rest.length > 0) all.push(section(plural(rest.length, "other finding"), make("ol", { class: "rest" }, rest.map(i =>
		make("li", {}, findings[i].headline, make("span", { class: "at" }, " " + findings[i].place))))));
	paper.replaceChildren(...all);
}
window.addEventListener("beforeprint", drawPaper);
window.addEventListener("afterprint", () => paper.replaceChildren());

byId("filters").addEventListener("submit", ev => ev.preventDefault());
byId("search").addEventListener("input", ev => { state.query = ev.target.value.trim(); refilter(); });
byId("package").addEventListener("change", ev => { state.package = ev.target.value; refilter(); });
byId("clear").addEventListener("click", () => {
	byId("search").value = state.query = state.package = "";
	state.evidence.clear();
	state.kind.clear();
	refilter();
	listBox.focus();
});
byId("toOverview").addEventListener("click", () => open(-1, true));
byId("toPrint").addEventListener("click", () => print());
byId("toKeys").addEventListener("click", () => keys.showModal());
window.addEventListener("hashchange", openNamed);

function openNamed() {
	const i = byName.get(location.hash.slice(1));
	open(i === undefined ? -1 : i);
}

byId("app").hidden = byId("tools").hidden = false;
state.open = byName.get(location.hash.slice(1)) ?? -1;
refilter();
open(state.open);
