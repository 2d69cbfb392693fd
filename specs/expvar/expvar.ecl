# expvar.Int and expvar.Map, as of Go 1.26.
#
# Read from the source, and tested with commute spec test.
#
# An Int is an atomic number: sums commute, and nobody sees their order. A Map has
# variables by key. Adding to a key changes the number that the key has, not the
# key: Get and Do see the same variable before and after, String sees another
# number. What is then read from the variable itself is not compared with Adds of
# the map.
#
# A nil variable is taken for an absent one. What was there before a change is asked
# just before it: what happens between is overlooked.
#
# Left out, so not watched: Float, Func and String.

//ecl:type expvar.Int

# Not exact, by numbers: {Add, Set}, Set

//ecl:new new(Int)
//ecl:sample int64: 0, 1, -2

//ecl:observer Value()/(n), String()/(text)
//ecl:mutator Add(delta), Set(value)/(previous)

//ecl:shadow Set(value)/(previous): func() (previous int64) { previous = Value(); Set(value); return }()

//ecl:commute Add(d1), {Value, String}: d1 == 0
//ecl:commute Add(d1), Add(d2): true
//ecl:commute Add(d1), Set(_): d1 == 0
//ecl:commute Set(v1)/(p1), {Value, String}: v1 == p1
//ecl:commute Set(v1)/(p1), Set(v2)/(p2): v1 == p1 && v2 == p2
//ecl:also Set(v1), Set(v2): v1 == v2

//ecl:type expvar.Map

# Not exact, by values: Get, Set
# Not exact, by keys: Init, {Add, AddFloat, Get, Set}
# Not exact, by shown: Do, Set
# Not exact, by shown: String, {Add, AddFloat, Set}
# Not exact, by values: Set, {Add, AddFloat, Delete, Set}
# Not exact, by values: Add, {AddFloat, Delete}
# Not exact, by values: AddFloat, Delete

//ecl:new new(Map).Init()
//ecl:sample string: "a", "b"
//ecl:sample int64: 0, 1, -2
//ecl:sample float64: 0, 1, -2
//ecl:sample Var: Get("cmdline"), Func(func() any { return 1 })

//ecl:observer Get(key)/(value), Do(f), String()/(text)
//ecl:mutator Set(key, av)/(previous), Add(key, delta)/(created), AddFloat(key, delta)/(created), Delete(key)/(loaded), Init()/(m; empty)

//ecl:callback Do(f)
//ecl:shadow Set(key, av)/(previous): func() (previous any) { previous = Get(key); Set(key, av); return }()
//ecl:shadow Add(key, delta)/(created): func() (created bool) { created = Get(key) == nil; Add(key, delta); return }()
//ecl:shadow AddFloat(key, delta)/(created): func() (created bool) { created = Get(key) == nil; AddFloat(key, delta); return }()
//ecl:shadow Delete(key)/(loaded): func() (loaded bool) { loaded = Get(key) != nil; Delete(key); return }()
//ecl:shadow Init()/(m; empty): func() (m *Map, empty bool) { empty = true; Do(func(KeyValue) { empty = false }); m = Init(); return }()

# Get
//ecl:commute Get(k1), Set(k2, v2)/(p2): k1 != k2 || p2 != nil && v2 == p2
//ecl:commute Get(k1), Add(k2, _)/(created2): k1 != k2 || !created2
//ecl:commute Get(k1), AddFloat(k2, _)/(created2): k1 != k2 || !created2
//ecl:commute Get(k1), Delete(k2)/(loaded2): k1 != k2 || !loaded2
//ecl:commute Get(k1), Init()/(_, empty2): empty2

# Do
//ecl:commute Do(_), Set(k2, v2)/(p2): p2 != nil && v2 == p2
//ecl:commute Do(_), Add(k2, _)/(created2): !created2
//ecl:commute Do(_), AddFloat(k2, _)/(created2): !created2
//ecl:commute Do(_), Delete(k2)/(loaded2): !loaded2
//ecl:commute Do(_), Init()/(_, empty2): empty2

# String
//ecl:commute String(), Set(k2, v2)/(p2): p2 != nil && v2 == p2
//ecl:commute String(), Add(k2, d2)/(created2): !created2 && d2 == 0
//ecl:commute String(), AddFloat(k2, d2)/(created2): !created2 && d2 == 0
//ecl:commute String(), Delete(k2)/(loaded2): !loaded2
//ecl:commute String(), Init()/(_, empty2): empty2

# Set
//ecl:commute Set(k1, v1)/(p1), Set(k2, v2)/(p2): k1 != k2 || p1 != nil && v1 == p1 && p2 != nil && v2 == p2
//ecl:also Set(k1, v1), Set(k2, v2): v1 == v2
//ecl:commute Set(k1, v1)/(p1), Add(k2, d2)/(created2): k1 != k2 || !created2 && (d2 == 0 || p1 != nil && v1 == p1)
//ecl:commute Set(k1, v1)/(p1), AddFloat(k2, d2)/(created2): k1 != k2 || !created2 && (d2 == 0 || p1 != nil && v1 == p1)
//ecl:commute Set(k1, v1)/(p1), Delete(k2)/(loaded2): k1 != k2 || p1 != nil && v1 == p1 && !loaded2
//ecl:commute Set(k1, v1)/(p1), Init()/(_, empty2): p1 != nil && v1 == p1 && empty2

# Add and AddFloat: the first says whether the key has an integer
//ecl:commute Add(k1, _), Add(k2, _): true
//ecl:commute Add(k1, _)/(created1), AddFloat(k2, _)/(created2): k1 != k2 || !created1 && !created2
//ecl:commute Add(k1, _), Delete(k2): k1 != k2
//ecl:commute Add(k1, _), Init(): false
//ecl:commute AddFloat(k1, _), AddFloat(k2, _): true
//ecl:commute AddFloat(k1, _), Delete(k2): k1 != k2
//ecl:commute AddFloat(k1, _), Init(): false

# Delete and Init
//ecl:commute Delete(_), Delete(_): true
//ecl:commute Delete(_), Init(): true
//ecl:commute Init(), Init(): true
