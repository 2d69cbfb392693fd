# github.com/puzpuzpuz/xsync/v3, v3.0.0 to v3.5.1: Map, MapOf and Counter.
#
# Read from the source: all changes of a key go through doCompute, under the lock
# of the key's bucket; Store and LoadAndStore differ in what they return only, and
# so do Delete and LoadAndDelete. The spec is tested against the module with
# commute spec test.
#
# A Store of the value that was there, a LoadOrStore or LoadOrCompute that loaded,
# and a Delete or LoadAndDelete of an absent key change nothing: they are readers
# of their key. What the function given to Compute does with a value is not known,
# so Compute counts as a change. It and the others that check and act in one are
# arbiters: races among them, or with readers, are reported with level=all only.
#
# Whether a Clear found the map empty is asked just before: what is stored between
# is overlooked.
#
# Left out, so not watched: LoadOrTryCompute, which does not tell a computation that
# was cancelled from one whose value is zero; Stats, which is for debugging; the
# queues, RBMutex.

//ecl:module github.com/puzpuzpuz/xsync/v3 >=v3.0.0 <=v3.5.1

//ecl:type github.com/puzpuzpuz/xsync/v3.Map

# Not exact, by keys: Clear, {Compute, Load, LoadAndDelete, LoadAndStore, LoadOrCompute,
#   LoadOrStore, Store}
# Not exact, by function: Compute, {Compute, Delete, Load, LoadAndStore, LoadOrStore, Size,
#   Store}
# Not exact, by shown: Range, {Compute, Delete, LoadAndDelete, LoadAndStore, LoadOrCompute,
#   LoadOrStore, Store}
# Not exact, by values: Store, {Delete, LoadAndDelete, LoadAndStore, Store}
# Not exact, by values: LoadAndStore, Delete
# Not exact, by values: Delete, LoadOrStore
# Not exact, by function: LoadOrCompute, {Compute, Delete}

//ecl:new NewMap()
//ecl:sample string: "a", "b"
//ecl:sample interface{}: nil, 1, 2

//ecl:observer Load(key)/(value, ok), Size()/(n), Range(f)
//ecl:mutator Store(key, value)/(previous, loaded), LoadAndStore(key, value)/(previous, loaded), Delete(key)/(previous, loaded), Clear()/(empty)
//ecl:arbiter LoadOrStore(key, value)/(actual, loaded), LoadOrCompute(key, valueFn)/(actual, loaded)
//ecl:arbiter LoadAndDelete(key)/(value, loaded), Compute(key, valueFn)/(actual, ok)

//ecl:callback Range(f)
//ecl:callback LoadOrCompute(_, valueFn)
//ecl:callback Compute(_, valueFn)
//ecl:shadow Store(key, value)/(previous, loaded): LoadAndStore(key, value)
//ecl:shadow Delete(key)/(previous, loaded): LoadAndDelete(key)
//ecl:shadow Clear()/(empty): func() (empty bool) { empty = Size() == 0; Clear(); return }()

# Load
//ecl:commute Load(k1), Store(k2, v2)/(p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Load(k1), LoadAndStore(k2, v2)/(p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Load(k1), Delete(k2)/(p2, loaded2): k1 != k2 || !loaded2
//ecl:commute Load(k1), Clear()/(empty2): empty2
//ecl:commute Load(k1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded2
//ecl:commute Load(k1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded2
//ecl:commute Load(k1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded2
//ecl:commute Load(k1), Compute(k2, _): k1 != k2

# The key set
//ecl:commute Store(k1, v1)/(p1, loaded1), Size(): loaded1
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Size(): loaded1
//ecl:commute Delete(k1)/(p1, loaded1), Size(): !loaded1
//ecl:commute Clear()/(empty1), Size(): empty1
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), Size(): loaded1
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), Size(): loaded1
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), Size(): !loaded1
//ecl:commute Compute(k1, _), Size(): false

# Everything
//ecl:commute Store(k1, v1)/(p1, loaded1), Range(_): loaded1 && v1 == p1
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Range(_): loaded1 && v1 == p1
//ecl:commute Delete(k1)/(p1, loaded1), Range(_): !loaded1
//ecl:commute Clear()/(empty1), Range(_): empty1
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), Range(_): loaded1
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), Range(_): loaded1
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), Range(_): !loaded1
//ecl:commute Compute(k1, _), Range(_): false

# Store
//ecl:commute Store(k1, v1)/(p1, loaded1), Store(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:also Store(k1, v1)/(p1, loaded1), Store(k2, v2)/(p2, loaded2): v1 == v2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadAndStore(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:commute Store(k1, v1)/(p1, loaded1), Delete(k2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), Clear()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), Compute(k2, _): k1 != k2

# LoadAndStore
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), LoadAndStore(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Delete(k2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Clear()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Compute(k2, _): k1 != k2

# Delete
//ecl:commute Delete(k1)/(p1, loaded1), Delete(k2)/(p2, loaded2): true
//ecl:commute Delete(k1)/(p1, loaded1), Clear()/(empty2): true
//ecl:commute Delete(k1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || !loaded1 && loaded2
//ecl:commute Delete(k1)/(p1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || !loaded1 && loaded2
//ecl:commute Delete(k1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded1 && !loaded2
//ecl:commute Delete(k1)/(p1, loaded1), Compute(k2, _): k1 != k2

# Clear
//ecl:commute Clear()/(empty1), Clear()/(empty2): true
//ecl:commute Clear()/(empty1), LoadOrStore(k2, v2)/(a2, loaded2): empty1 && loaded2
//ecl:commute Clear()/(empty1), LoadOrCompute(k2, _)/(a2, loaded2): empty1 && loaded2
//ecl:commute Clear()/(empty1), LoadAndDelete(k2)/(v2, loaded2): empty1 && !loaded2
//ecl:commute Clear()/(empty1), Compute(k2, _): false

# LoadOrStore
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && !loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), Compute(k2, _): k1 != k2

# LoadOrCompute
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && !loaded2
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), Compute(k2, _): k1 != k2

# LoadAndDelete
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded1 && !loaded2
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), Compute(k2, _): k1 != k2

# Compute
//ecl:commute Compute(k1, _), Compute(k2, _): k1 != k2

//ecl:type github.com/puzpuzpuz/xsync/v3.MapOf

# Not exact, by keys: Clear, {Compute, Load, LoadAndDelete, LoadAndStore, LoadOrCompute,
#   LoadOrStore, Store}
# Not exact, by function: Compute, {Compute, Delete, Load, LoadAndStore, LoadOrStore, Size,
#   Store}
# Not exact, by shown: Range, {Compute, Delete, LoadAndDelete, LoadAndStore, LoadOrCompute,
#   LoadOrStore, Store}
# Not exact, by values: Store, {Delete, LoadAndDelete, LoadAndStore, Store}
# Not exact, by values: LoadAndStore, Delete
# Not exact, by values: Delete, LoadOrStore
# Not exact, by function: LoadOrCompute, {Compute, Delete}

//ecl:new NewMapOf[string, any]()
//ecl:sample K: "a", "b"
//ecl:sample V: nil, 1, 2

//ecl:observer Load(key)/(value, ok), Size()/(n), Range(f)
//ecl:mutator Store(key, value)/(previous, loaded), LoadAndStore(key, value)/(previous, loaded), Delete(key)/(previous, loaded), Clear()/(empty)
//ecl:arbiter LoadOrStore(key, value)/(actual, loaded), LoadOrCompute(key, valueFn)/(actual, loaded)
//ecl:arbiter LoadAndDelete(key)/(value, loaded), Compute(key, valueFn)/(actual, ok)

//ecl:callback Range(f)
//ecl:callback LoadOrCompute(_, valueFn)
//ecl:callback Compute(_, valueFn)
//ecl:shadow Store(key, value)/(previous, loaded): LoadAndStore(key, value)
//ecl:shadow Delete(key)/(previous, loaded): LoadAndDelete(key)
//ecl:shadow Clear()/(empty): func() (empty bool) { empty = Size() == 0; Clear(); return }()

# Load
//ecl:commute Load(k1), Store(k2, v2)/(p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Load(k1), LoadAndStore(k2, v2)/(p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Load(k1), Delete(k2)/(p2, loaded2): k1 != k2 || !loaded2
//ecl:commute Load(k1), Clear()/(empty2): empty2
//ecl:commute Load(k1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded2
//ecl:commute Load(k1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded2
//ecl:commute Load(k1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded2
//ecl:commute Load(k1), Compute(k2, _): k1 != k2

# The key set
//ecl:commute Store(k1, v1)/(p1, loaded1), Size(): loaded1
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Size(): loaded1
//ecl:commute Delete(k1)/(p1, loaded1), Size(): !loaded1
//ecl:commute Clear()/(empty1), Size(): empty1
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), Size(): loaded1
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), Size(): loaded1
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), Size(): !loaded1
//ecl:commute Compute(k1, _), Size(): false

# Everything
//ecl:commute Store(k1, v1)/(p1, loaded1), Range(_): loaded1 && v1 == p1
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Range(_): loaded1 && v1 == p1
//ecl:commute Delete(k1)/(p1, loaded1), Range(_): !loaded1
//ecl:commute Clear()/(empty1), Range(_): empty1
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), Range(_): loaded1
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), Range(_): loaded1
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), Range(_): !loaded1
//ecl:commute Compute(k1, _), Range(_): false

# Store
//ecl:commute Store(k1, v1)/(p1, loaded1), Store(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:also Store(k1, v1)/(p1, loaded1), Store(k2, v2)/(p2, loaded2): v1 == v2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadAndStore(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:commute Store(k1, v1)/(p1, loaded1), Delete(k2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), Clear()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), Compute(k2, _): k1 != k2

# LoadAndStore
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), LoadAndStore(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Delete(k2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Clear()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute LoadAndStore(k1, v1)/(p1, loaded1), Compute(k2, _): k1 != k2

# Delete
//ecl:commute Delete(k1)/(p1, loaded1), Delete(k2)/(p2, loaded2): true
//ecl:commute Delete(k1)/(p1, loaded1), Clear()/(empty2): true
//ecl:commute Delete(k1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || !loaded1 && loaded2
//ecl:commute Delete(k1)/(p1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || !loaded1 && loaded2
//ecl:commute Delete(k1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded1 && !loaded2
//ecl:commute Delete(k1)/(p1, loaded1), Compute(k2, _): k1 != k2

# Clear
//ecl:commute Clear()/(empty1), Clear()/(empty2): true
//ecl:commute Clear()/(empty1), LoadOrStore(k2, v2)/(a2, loaded2): empty1 && loaded2
//ecl:commute Clear()/(empty1), LoadOrCompute(k2, _)/(a2, loaded2): empty1 && loaded2
//ecl:commute Clear()/(empty1), LoadAndDelete(k2)/(v2, loaded2): empty1 && !loaded2
//ecl:commute Clear()/(empty1), Compute(k2, _): false

# LoadOrStore
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && !loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), Compute(k2, _): k1 != k2

# LoadOrCompute
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), LoadOrCompute(k2, _)/(a2, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && !loaded2
//ecl:commute LoadOrCompute(k1, _)/(a1, loaded1), Compute(k2, _): k1 != k2

# LoadAndDelete
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded1 && !loaded2
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), Compute(k2, _): k1 != k2

# Compute
//ecl:commute Compute(k1, _), Compute(k2, _): k1 != k2

# A counter: sums commute, and nobody sees their order. Reset may only be called
# when nobody else changes the counter, says its comment.

//ecl:type github.com/puzpuzpuz/xsync/v3.Counter

# Not exact, by numbers: Reset, {Add, Dec, Inc}

//ecl:new NewCounter()
//ecl:sample int64: 0, 1, -2

//ecl:observer Value()/(n)
//ecl:mutator Inc(), Dec(), Add(delta), Reset()/(was)

//ecl:shadow Reset()/(was): func() (was int64) { was = Value(); Reset(); return }()

//ecl:commute {Inc, Dec}, Value(): false
//ecl:commute Inc(), Inc(): true
//ecl:commute Inc(), Dec(): true
//ecl:commute Dec(), Dec(): true
//ecl:commute Add(d1), {Inc, Dec}: true
//ecl:commute Add(d1), Add(d2): true
//ecl:commute Add(d1), Value(): d1 == 0
//ecl:commute Reset()/(was1), Value(): was1 == 0
//ecl:commute Reset(), Reset(): true
//ecl:commute Reset(), {Inc, Dec}: false
//ecl:commute Reset(), Add(d2): d2 == 0
