// The list of findings. Only the rows in sight are in the tree.

const groupHeight = 34, rowHeight = 66;
const listBox = byId("list"), space = byId("space");
let rows = [], tops = [0]; // the rows of the list, and where each begins
const position = new Map(), rowOf = new Map(); // of findings: among those shown, among the rows

// layRows makes the rows of what is shown.
function layRows() {
	rows = [];
	for (const g of groups) {
		rows.push({ group: g });
		for (const i of g.list) rows.push({ finding: i });
	}
	tops = [0];
	for (const r of rows) tops.push(tops[tops.length - 1] + (r.group ? groupHeight : rowHeight));
	space.style.height = tops[rows.length] + "px";
	position.clear();
	rowOf.clear();
	shown.forEach((f, n) => position.set(f, n));
	rows.forEach((r, n) => { if (!r.group) rowOf.set(r.finding, n); });
}

// rowAt is the row at a height: a binary search.
function rowAt(y) {
	let from = 0, to = rows.length;
	while (from < to) {
		const mid = (from + to) >> 1;
		if (tops[mid + 1] <= y) from = mid + 1; else to = mid;
	}
	return from;
}

// drawList puts the rows in sight into the tree.
function drawList() {
	const from = Math.max(0, rowAt(listBox.scrollTop) - 4);
	const end = listBox.scrollTop + listBox.clientHeight;
	const list = [];
	for (let n = from; n < rows.length && tops[n] < end + 4 * rowHeight; n++) list.push(row(n));
	if (rows.length === 0) list.push(make("p", { class: "none" }, findings.length === 0
		? "Nothing was found." : "No finding passes the filter."));
	space.replaceChildren(...list);
	const current = state.open >= 0 && byId("row" + state.open);
	if (current) listBox.setAttribute("aria-activedescendant", current.id);
	else listBox.removeAttribute("aria-activedescendant");
}

function row(n) {
	const r = rows[n];
	const e = r.group ? groupRow(r.group) : findingRow(r.finding);
	e.style.top = tops[n] + "px";
	return e;
}

function groupRow(g) {
	return make("div", { class: "group", role: "presentation", title: g.decl + "  " + g.declAt },
		make("span", { class: "decl" }, g.decl), make("span", { class: "at" }, g.declAt),
		g.list.length > 1 && make("span", { class: "number" }, String(g.list.length)));
}

function findingRow(i) {
	const f = findings[i];
	return make("div", {
		class: "row", role: "option", id: "row" + i, "data-i": i,
		"aria-selected": i === state.open ? "true" : "false",
		"aria-posinset": position.get(i) + 1, "aria-setsize": shown.length,
	},
		make("span", { class: "line" }, badge(f.evidence), make("span", { class: "kind" }, f.kind),
			make("span", { class: "at", title: f.place }, base(f.place))),
		make("span", { class: "headline" }, f.headline));
}

// base is a place without folders.
function base(place) { return (place || "").replace(/^.*[\\/]/, ""); }

// badge is the word for the evidence.
function badge(evidence) { return make("span", { class: "badge " + evidence }, evidence); }

// reveal scrolls the list to a finding.
function reveal(i) {
	const n = rowOf.get(i);
	if (n === undefined || !rows[n] || rows[n].finding !== i) return;
	const top = tops[rows[n - 1].group ? n - 1 : n], bottom = tops[n + 1];
	if (top < listBox.scrollTop) listBox.scrollTop = top;
	else if (bottom > listBox.scrollTop + listBox.clientHeight) listBox.scrollTop = bottom - listBox.clientHeight;
}

let due = false;
function drawListSoon() {
	if (due) return;
	due = true;
	requestAnimationFrame(() => { due = false; drawList(); });
}
listBox.addEventListener("scroll", drawListSoon);
window.addEventListener("resize", drawListSoon);
listBox.addEventListener("click", ev => {
	const e = ev.target.closest("[data-i]");
	if (e) open(Number(e.dataset.i));
});
