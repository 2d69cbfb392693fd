# github.com/alphadose/haxmap, v1.3.1 to v1.4.1: Map.
#
# Read from the source, a list without locks and an index of it. The spec is tested
# against the module with commute spec test.
#
# Whether a Set finds a key, and which value, cannot be told at the moment of the
# Set: so every Set is a change of its key. A GetOrSet or GetOrCompute that loaded, a
# CompareAndSwap or Swap that did not happen, and a Swap with the value that was
# there change nothing: they are readers of their key.
#
# Left out, so not watched: Del and GetAndDel. What Get returns for a key that was
# deleted, a value that is no more or none, with false, depends on when any call
# cleans up the list; so next to nothing commutes with them. Len and Fillrate, because
# a Set of a key that is there does not change them; Clear, which v1.4.1 added; Grow,
# which changes nothing; SetHasher; UnmarshalJSON, which sets many keys.

//ecl:module github.com/alphadose/haxmap >=v1.3.1 <=v1.4.1
//ecl:type github.com/alphadose/haxmap.Map

# Not exact, by values: Get, {CompareAndSwap, Set}
# Not exact, by values: Set, {CompareAndSwap, GetOrSet, Set, Swap}
# Not exact, by function: GetOrCompute, {CompareAndSwap, Set}
# Not exact, by values: {Swap, GetOrSet, CompareAndSwap}, CompareAndSwap
# Not exact, by shown: ForEach, {CompareAndSwap, GetOrCompute, GetOrSet, Set, Swap}
# Not exact, by shown: MarshalJSON, {CompareAndSwap, Set}

//ecl:new New[string, any]()
//ecl:sample K: "a", "b"
//ecl:sample V: nil, 1, 2

//ecl:observer Get(key)/(value, ok), ForEach(lambda), MarshalJSON()/(text, err)
//ecl:mutator Set(key, value), Swap(key, newValue)/(oldValue, swapped)
//ecl:arbiter GetOrSet(key, value)/(actual, loaded), GetOrCompute(key, valueFn)/(actual, loaded)
//ecl:arbiter CompareAndSwap(key, oldValue, newValue)/(swapped)

//ecl:callback ForEach(lambda)
//ecl:callback GetOrCompute(_, valueFn)

# Get
//ecl:commute Get(k1), Set(k2, v2): k1 != k2
//ecl:commute Get(k1), Swap(k2, v2)/(p2, swapped2): k1 != k2 || !swapped2 || v2 == p2
//ecl:commute Get(k1), GetOrSet(k2, _)/(_, loaded2): k1 != k2 || loaded2
//ecl:commute Get(k1), GetOrCompute(k2, _)/(_, loaded2): k1 != k2 || loaded2
//ecl:commute Get(k1), CompareAndSwap(k2, _, _)/(swapped2): k1 != k2 || !swapped2

# Everything
//ecl:commute Set(k1, v1), {ForEach, MarshalJSON}: false
//ecl:commute Swap(k1, v1)/(p1, swapped1), {ForEach, MarshalJSON}: !swapped1 || v1 == p1
//ecl:commute GetOrSet(k1, _)/(_, loaded1), {ForEach, MarshalJSON}: loaded1
//ecl:commute GetOrCompute(k1, _)/(_, loaded1), {ForEach, MarshalJSON}: loaded1
//ecl:commute CompareAndSwap(k1, _, _)/(swapped1), {ForEach, MarshalJSON}: !swapped1

# Set
//ecl:commute Set(k1, v1), Set(k2, v2): k1 != k2
//ecl:also Set(k1, v1), Set(k2, v2): v1 == v2
//ecl:commute Set(k1, v1), Swap(k2, v2)/(p2, swapped2): k1 != k2
//ecl:commute Set(k1, v1), GetOrSet(k2, _)/(_, loaded2): k1 != k2
//ecl:commute Set(k1, v1), GetOrCompute(k2, _)/(_, loaded2): k1 != k2
//ecl:commute Set(k1, v1), CompareAndSwap(k2, _, _)/(swapped2): k1 != k2

# Swap
//ecl:commute Swap(k1, v1)/(p1, swapped1), Swap(k2, v2)/(p2, swapped2): k1 != k2 || (!swapped1 || v1 == p1) && (!swapped2 || v2 == p2)
//ecl:commute Swap(k1, v1)/(p1, swapped1), GetOrSet(k2, _)/(_, loaded2): k1 != k2 || (!swapped1 || v1 == p1) && loaded2
//ecl:commute Swap(k1, v1)/(p1, swapped1), GetOrCompute(k2, _)/(_, loaded2): k1 != k2 || (!swapped1 || v1 == p1) && loaded2
//ecl:commute Swap(k1, v1)/(p1, swapped1), CompareAndSwap(k2, _, _)/(swapped2): k1 != k2 || (!swapped1 || v1 == p1) && !swapped2

# GetOrSet
//ecl:commute GetOrSet(k1, _)/(_, loaded1), GetOrSet(k2, _)/(_, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute GetOrSet(k1, _)/(_, loaded1), GetOrCompute(k2, _)/(_, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute GetOrSet(k1, _)/(_, loaded1), CompareAndSwap(k2, _, _)/(swapped2): k1 != k2 || loaded1 && !swapped2

# GetOrCompute
//ecl:commute GetOrCompute(k1, _)/(_, loaded1), GetOrCompute(k2, _)/(_, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute GetOrCompute(k1, _)/(_, loaded1), CompareAndSwap(k2, _, _)/(swapped2): k1 != k2 || loaded1 && !swapped2

# CompareAndSwap
//ecl:commute CompareAndSwap(k1, _, _)/(swapped1), CompareAndSwap(k2, _, _)/(swapped2): k1 != k2 || !swapped1 && !swapped2
