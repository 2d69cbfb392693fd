# A queue of anything.
//ecl:type Queue
//ecl:observer First()/(x, ok), Peek()/x, Len()/n, Cap()/n
//ecl:mutator Push(xs)
//ecl:commute Push(xs1), Push(xs2): len(xs1) == 0 || len(xs2) == 0
//ecl:commute {First, Peek, Len}, Push(xs2): len(xs2) == 0
//ecl:commute {Cap}, _: true
