# github.com/orcaman/concurrent-map/v2, v2.0.1 (in v2.0.0 the type is another one).
#
# Read from the source: each key lives in one shard, under the shard's lock, and
# every method that has a key takes that lock once. What goes over all shards
# (Count, Items, Clear and so on) takes them one after the other. The spec is
# tested against the module with commute spec test.
#
# A Set of the value that was there, a SetIfAbsent that found one, and a Remove
# or Pop of an absent key change nothing: they are readers of their key. The
# previous values come from Upsert and Pop, which do under the shard's lock what
# Set and Remove do.
#
# An Upsert counts as a change, whatever its function returns.
#
# Left out, so not watched: RemoveCb, which does not tell whether it removed
# something; MSet and UnmarshalJSON, which set many keys; GetShard, which hands
# out a part of the map; Iter, which is deprecated, and leaves goroutines behind
# unless all is read.

//ecl:module github.com/orcaman/concurrent-map/v2 >=v2.0.1 <=v2.0.1
//ecl:type github.com/orcaman/concurrent-map/v2.ConcurrentMap

# Not exact, by keys: Clear, {Get, Has, IterBuffered, Pop, Set, SetIfAbsent, Upsert}
# Not exact, by values: Set, {IsEmpty, Pop, Remove, Set, SetIfAbsent}
# Not exact, by values: Remove, {IsEmpty, SetIfAbsent}
# Not exact, by function: Upsert, {Count, Get, Has, IsEmpty, Remove, Set, SetIfAbsent, Upsert}
# Not exact, by values: {SetIfAbsent, Pop}, IsEmpty
# Not exact, by shown: IterBuffered, {Pop, Remove, Set, SetIfAbsent, Upsert}
# Not exact, by shown: {Keys, Items, MarshalJSON, IterCb}, Upsert

//ecl:identity shards
//ecl:new New[any]()
//ecl:sample K: "a", "b"
//ecl:sample V: nil, 1, 2

//ecl:observer Get(key)/(value, ok), Has(key)/(ok), Count()/(n), IsEmpty()/(empty), Keys()/(keys)
//ecl:observer Items()/(items), IterBuffered()/(items), MarshalJSON()/(text, err), IterCb(fn)
//ecl:mutator Set(key, value)/(previous, loaded), Remove(key)/(previous, loaded), Clear()/(empty)
//ecl:arbiter SetIfAbsent(key, value)/(set), Pop(key)/(value, ok), Upsert(key, value, cb)/(res)

//ecl:callback IterCb(fn)
//ecl:callback Upsert(_, _, cb)

//ecl:shadow Set(key, value)/(previous, loaded): func() (previous V, loaded bool) { Upsert(key, value, func(exist bool, old, set V) V { previous, loaded = old, exist; return set }); return }()
//ecl:shadow Remove(key)/(previous, loaded): Pop(key)
//ecl:shadow Clear()/(empty): func() (empty bool) { empty = true; for item := range IterBuffered() { empty = false; Remove(item.Key) }; return }()

# Get
//ecl:commute Get(k1), Set(k2, v2)/(p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Get(k1), Remove(k2)/(p2, loaded2): k1 != k2 || !loaded2
//ecl:commute Get(k1), Clear()/(empty2): empty2
//ecl:commute Get(k1), SetIfAbsent(k2, v2)/(set2): k1 != k2 || !set2
//ecl:commute Get(k1), Pop(k2)/(v2, ok2): k1 != k2 || !ok2

# Has
//ecl:commute Has(k1), Set(k2, v2)/(p2, loaded2): k1 != k2 || loaded2
//ecl:commute Has(k1), Remove(k2)/(p2, loaded2): k1 != k2 || !loaded2
//ecl:commute Has(k1), Clear()/(empty2): empty2
//ecl:commute Has(k1), SetIfAbsent(k2, v2)/(set2): k1 != k2 || !set2
//ecl:commute Has(k1), Pop(k2)/(v2, ok2): k1 != k2 || !ok2

# The key set
//ecl:commute Set(k1, v1)/(p1, loaded1), {Count, IsEmpty, Keys}: loaded1
//ecl:commute Remove(k1)/(p1, loaded1), {Count, IsEmpty, Keys}: !loaded1
//ecl:commute Clear()/(empty1), {Count, IsEmpty, Keys}: empty1
//ecl:commute SetIfAbsent(k1, v1)/(set1), {Count, IsEmpty, Keys}: !set1
//ecl:commute Pop(k1)/(v1, ok1), {Count, IsEmpty, Keys}: !ok1

# Everything
//ecl:commute Set(k1, v1)/(p1, loaded1), {Items, IterBuffered, MarshalJSON, IterCb}: loaded1 && v1 == p1
//ecl:commute Remove(k1)/(p1, loaded1), {Items, IterBuffered, MarshalJSON, IterCb}: !loaded1
//ecl:commute Clear()/(empty1), {Items, IterBuffered, MarshalJSON, IterCb}: empty1
//ecl:commute SetIfAbsent(k1, v1)/(set1), {Items, IterBuffered, MarshalJSON, IterCb}: !set1
//ecl:commute Pop(k1)/(v1, ok1), {Items, IterBuffered, MarshalJSON, IterCb}: !ok1

# Set
//ecl:commute Set(k1, v1)/(p1, loaded1), Set(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:also Set(k1, v1)/(p1, loaded1), Set(k2, v2)/(p2, loaded2): v1 == v2
//ecl:commute Set(k1, v1)/(p1, loaded1), Remove(k2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute Set(k1, v1)/(p1, loaded1), Clear()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute Set(k1, v1)/(p1, loaded1), SetIfAbsent(k2, v2)/(set2): k1 != k2 || loaded1 && v1 == p1 && !set2
//ecl:commute Set(k1, v1)/(p1, loaded1), Pop(k2)/(v2, ok2): k1 != k2 || loaded1 && v1 == p1 && !ok2

# Remove
//ecl:commute Remove(k1)/(p1, loaded1), Remove(k2)/(p2, loaded2): true
//ecl:commute Remove(k1)/(p1, loaded1), Clear()/(empty2): true
//ecl:commute Remove(k1)/(p1, loaded1), SetIfAbsent(k2, v2)/(set2): k1 != k2 || !loaded1 && !set2
//ecl:commute Remove(k1)/(p1, loaded1), Pop(k2)/(v2, ok2): k1 != k2 || !loaded1 && !ok2

# Clear
//ecl:commute Clear()/(empty1), Clear()/(empty2): true
//ecl:commute Clear()/(empty1), SetIfAbsent(k2, v2)/(set2): empty1 && !set2
//ecl:commute Clear()/(empty1), Pop(k2)/(v2, ok2): empty1 && !ok2

# SetIfAbsent
//ecl:commute SetIfAbsent(k1, v1)/(set1), SetIfAbsent(k2, v2)/(set2): k1 != k2 || !set1 && !set2
//ecl:commute SetIfAbsent(k1, v1)/(set1), Pop(k2)/(v2, ok2): k1 != k2 || !set1 && !ok2

# Pop
//ecl:commute Pop(k1)/(v1, ok1), Pop(k2)/(v2, ok2): k1 != k2 || !ok1 && !ok2

# Upsert
//ecl:commute Upsert(k1, _, _), Get(k2): k1 != k2
//ecl:commute Upsert(k1, _, _), Has(k2): k1 != k2
//ecl:commute Upsert(k1, _, _), Set(k2, _): k1 != k2
//ecl:commute Upsert(k1, _, _), Remove(k2): k1 != k2
//ecl:commute Upsert(k1, _, _), SetIfAbsent(k2, _): k1 != k2
//ecl:commute Upsert(k1, _, _), Pop(k2): k1 != k2
//ecl:commute Upsert(k1, _, _), Upsert(k2, _, _): k1 != k2
//ecl:commute {Upsert}, {Count, IsEmpty, Keys, Items, IterBuffered, MarshalJSON, IterCb, Clear}: false
