// The data of the page, what is shown of it, and how elements are made.

const data = JSON.parse(document.getElementById("data").textContent);
const findings = data.findings;
const evidences = ["observed", "predicted", "potential", "race", "static"];
const byId = id => document.getElementById(id);

// What is chosen. An empty set lets all through. open is the index of a finding, -1 for none.
const state = { query: "", evidence: new Set(), kind: new Set(), package: "", open: -1 };

// shown are the indexes of the findings that the filter lets through, declaration by declaration;
// groups are the declarations.
let shown = [], groups = [];

// make makes an element. What it is given is text or elements, never HTML. The attribute class is
// written so; a function is a listener.
function make(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (typeof value === "function") e.addEventListener(name, value);
		else if (value !== undefined && value !== false) e.setAttribute(name, value === true ? "" : value);
	}
	e.append(...children.flat().filter(c => c !== undefined && c !== null && c !== false && c !== ""));
	return e;
}

// plural is a number and a noun.
function plural(n, one, many) { return n.toLocaleString("en") + " " + (n === 1 ? one : many || one + "s"); }

// Each finding has a name of its own for the address: its fingerprint, with a number if it isn't
// the only one.
const names = [], byName = new Map();
findings.forEach((f, i) => {
	let name = f.id;
	for (let n = 2; byName.has(name); n++) name = f.id + "-" + n;
	names.push(name);
	byName.set(name, i);
});

// words is the text of a finding that a filter looks at.
const wordsOf = new Array(findings.length);
function words(i) {
	if (wordsOf[i] === undefined) {
		const f = findings[i];
		wordsOf[i] = [f.headline, f.decl, f.declAt, f.place, f.package, f.kind, f.evidence, f.effect,
			...(f.facts || []).map(x => x[1]), ...(f.events || []).map(e => e.t + " " + (e.p || ""))]
			.join("\n").toLowerCase();
	}
	return wordsOf[i];
}

// passes says whether the filter lets a finding through. except is a part that isn't looked at.
function passes(i, except) {
	const f = findings[i];
	if (except !== "evidence" && state.evidence.size > 0 && !state.evidence.has(f.evidence)) return false;
	if (except !== "kind" && state.kind.size > 0 && !state.kind.has(f.kind)) return false;
	if (except !== "package" && state.package !== "" && f.package !== state.package) return false;
	return state.query === "" ||
		state.query.toLowerCase().split(/\s+/).every(w => words(i).includes(w));
}

// filter finds out what is shown.
function filter() {
	const byDecl = new Map();
	for (let i = 0; i < findings.length; i++) {
		if (!passes(i)) continue;
		const f = findings[i], key = f.decl + "\n" + (f.declAt || "");
		let g = byDecl.get(key);
		if (g === undefined) byDecl.set(key, g = { decl: f.decl, declAt: f.declAt || "", list: [] });
		g.list.push(i);
	}
	groups = [...byDecl.values()];
	shown = groups.flatMap(g => g.list);
}

// counted are how many findings there are by a field, of those that the rest of the filter lets
// through.
function counted(field) {
	const counts = new Map();
	for (let i = 0; i < findings.length; i++) {
		const v = findings[i][field] || "";
		if (!counts.has(v)) counts.set(v, 0);
		if (passes(i, field)) counts.set(v, counts.get(v) + 1);
	}
	return counts;
}

function filtered() {
	return state.query !== "" || state.evidence.size > 0 || state.kind.size > 0 || state.package !== "";
}
