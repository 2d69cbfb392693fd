package section
import ("testing";"os";"golang.org/x/tools/go/ssa")
func TestDbg(t *testing.T) {
	pkg := source(t, preamble+pairSources[os.Getenv("CASE")])
	p, _ := build(pkg)
	for _, f := range p.functions { f.WriteTo(os.Stdout); f.Each(func(i ssa.Instruction){ for _, s := range f.sites(i) { x := &expresser{f.in.syntax.tree(f.Pos()), p.info, s}; w:=x.express(); t.Log(i, s.op, w); if w != nil { t.Log(x.writable(w)) } } }) }
	for _, f := range p.functions { ps := f.pairs(); t.Log(f, len(ps), p.excluded, len(f.summary()));
	for _, r := range f.summary() { for _, w := range f.summary() { if !r.isWrite() && w.isWrite() { t.Log(r.instr, w.instr, r.samePoint(w), r.term, w.term,r.keyed,w.keyed); _, ok := f.apart(r,w); t.Log(ok, f.sameObject(r,w), w.affected(r.slices()[0]))}}}
	}
}
