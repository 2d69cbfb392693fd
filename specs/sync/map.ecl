# sync.Map, as of Go 1.24 and later.
#
# A call that changed nothing (a Store of the value that was there, a
# LoadOrStore that loaded, a CompareAndSwap that failed, a Delete of an absent
# key) is a reader of its key. Only results that the program sees count: two
# Deletes of one key commute, although their shadow results change places.
#
# A comparison that failed commutes with a change between values that it would
# not have met either way. A previous value is nil if there was none, and absent
# keys fail even a comparison with nil: hence !loaded1 as an alternative.

//ecl:type sync.Map

# Not exact, by keys: Clear, {CompareAndDelete, CompareAndSwap, Load, LoadAndDelete, LoadOrStore,
#   Store, Swap}
# Not exact, by shown: Range, {CompareAndDelete, CompareAndSwap, Delete, LoadAndDelete,
#   LoadOrStore, Store, Swap}
# Not exact, by values: Store, {CompareAndDelete, Delete, LoadAndDelete, Store}
# Not exact, by values: Delete, {LoadOrStore, Swap}

//ecl:observer Load(key)/(value, ok), Range(f)
//ecl:mutator Store(key, value)/(previous, loaded), Delete(key)/(previous, loaded), Swap(key, value)/(previous, loaded), Clear()/(empty)
//ecl:arbiter LoadOrStore(key, value)/(actual, loaded), LoadAndDelete(key)/(value, loaded)
//ecl:arbiter CompareAndSwap(key, old, new)/(swapped), CompareAndDelete(key, old)/(deleted)

//ecl:callback Range(f)
//ecl:shadow Store(key, value)/(previous, loaded): Swap(key, value)
//ecl:shadow Delete(key)/(previous, loaded): LoadAndDelete(key)
//ecl:shadow Clear()/(empty): func() (empty bool) { empty = true; Range(func(_, _ any) bool { empty = false; return false }); Clear(); return }()

# Load
//ecl:commute Load(k1)/(v1, ok1), Load(k2)/(v2, ok2): true
//ecl:commute Load(k1)/(v1, ok1), Range(f2): true
//ecl:commute Load(k1)/(v1, ok1), Store(k2, v2)/(p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Load(k1)/(v1, ok1), Delete(k2)/(p2, loaded2): k1 != k2 || !loaded2
//ecl:commute Load(k1)/(v1, ok1), Swap(k2, v2)/(p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Load(k1)/(v1, ok1), Clear()/(empty2): empty2
//ecl:commute Load(k1)/(v1, ok1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded2
//ecl:commute Load(k1)/(v1, ok1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded2
//ecl:commute Load(k1)/(v1, ok1), CompareAndSwap(k2, old2, new2)/(swapped2): k1 != k2 || !swapped2 || old2 == new2
//ecl:commute Load(k1)/(v1, ok1), CompareAndDelete(k2, old2)/(deleted2): k1 != k2 || !deleted2

# Range
//ecl:commute Range(f1), Range(f2): true
//ecl:commute Range(f1), Store(k2, v2)/(p2, loaded2): loaded2 && v2 == p2
//ecl:commute Range(f1), Delete(k2)/(p2, loaded2): !loaded2
//ecl:commute Range(f1), Swap(k2, v2)/(p2, loaded2): loaded2 && v2 == p2
//ecl:commute Range(f1), Clear()/(empty2): empty2
//ecl:commute Range(f1), LoadOrStore(k2, v2)/(a2, loaded2): loaded2
//ecl:commute Range(f1), LoadAndDelete(k2)/(v2, loaded2): !loaded2
//ecl:commute Range(f1), CompareAndSwap(k2, old2, new2)/(swapped2): !swapped2 || old2 == new2
//ecl:commute Range(f1), CompareAndDelete(k2, old2)/(deleted2): !deleted2

# Store
//ecl:commute Store(k1, v1)/(p1, loaded1), Store(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:commute Store(k1, v1)/(p1, loaded1), Delete(k2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), Swap(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:commute Store(k1, v1)/(p1, loaded1), Clear()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute Store(k1, v1)/(p1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): k1 != k2 || loaded1 && v1 == p1 && (!swapped2 || old2 == new2)
//ecl:commute Store(k1, v1)/(p1, loaded1), CompareAndDelete(k2, old2)/(deleted2): k1 != k2 || loaded1 && v1 == p1 && !deleted2
//ecl:also Store(k1, v1), Store(k2, v2): v1 == v2
//ecl:also Store(k1, v1)/(p1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): !swapped2 && v1 != old2 && p1 != old2
//ecl:also Store(k1, v1)/(p1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): !swapped2 && v1 != old2 && !loaded1
//ecl:also Store(k1, v1)/(p1, loaded1), CompareAndDelete(k2, old2)/(deleted2): !deleted2 && v1 != old2 && p1 != old2
//ecl:also Store(k1, v1)/(p1, loaded1), CompareAndDelete(k2, old2)/(deleted2): !deleted2 && v1 != old2 && !loaded1
//ecl:also Store(k1, v1), CompareAndDelete(k2, old2)/(deleted2): v1 != old2 && unused(deleted2)

# Delete
//ecl:commute Delete(k1)/(p1, loaded1), Delete(k2)/(p2, loaded2): true
//ecl:commute Delete(k1)/(p1, loaded1), Swap(k2, v2)/(p2, loaded2): k1 != k2 || !loaded1 && loaded2 && v2 == p2
//ecl:commute Delete(k1)/(p1, loaded1), Clear()/(empty2): true
//ecl:commute Delete(k1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || !loaded1 && loaded2
//ecl:commute Delete(k1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded1 && !loaded2
//ecl:commute Delete(k1)/(p1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): k1 != k2 || !loaded1 && (!swapped2 || old2 == new2)
//ecl:commute Delete(k1)/(p1, loaded1), CompareAndDelete(k2, old2)/(deleted2): k1 != k2 || !loaded1 && !deleted2
//ecl:also Delete(k1)/(p1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): !swapped2 && p1 != old2
//ecl:also Delete(k1)/(p1, loaded1), CompareAndDelete(k2, old2)/(deleted2): !deleted2 && p1 != old2
//ecl:also Delete(k1), CompareAndDelete(k2, old2)/(deleted2): unused(deleted2)

# Swap
//ecl:commute Swap(k1, v1)/(p1, loaded1), Swap(k2, v2)/(p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:commute Swap(k1, v1)/(p1, loaded1), Clear()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute Swap(k1, v1)/(p1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2
//ecl:commute Swap(k1, v1)/(p1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && v1 == p1 && !loaded2
//ecl:commute Swap(k1, v1)/(p1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): k1 != k2 || loaded1 && v1 == p1 && (!swapped2 || old2 == new2)
//ecl:commute Swap(k1, v1)/(p1, loaded1), CompareAndDelete(k2, old2)/(deleted2): k1 != k2 || loaded1 && v1 == p1 && !deleted2
//ecl:also Swap(k1, v1)/(p1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): !swapped2 && v1 != old2 && p1 != old2
//ecl:also Swap(k1, v1)/(p1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): !swapped2 && v1 != old2 && !loaded1
//ecl:also Swap(k1, v1)/(p1, loaded1), CompareAndDelete(k2, old2)/(deleted2): !deleted2 && v1 != old2 && p1 != old2
//ecl:also Swap(k1, v1)/(p1, loaded1), CompareAndDelete(k2, old2)/(deleted2): !deleted2 && v1 != old2 && !loaded1

# Clear
//ecl:commute Clear()/(empty1), Clear()/(empty2): true
//ecl:commute Clear()/(empty1), LoadOrStore(k2, v2)/(a2, loaded2): empty1 && loaded2
//ecl:commute Clear()/(empty1), LoadAndDelete(k2)/(v2, loaded2): empty1 && !loaded2
//ecl:commute Clear()/(empty1), CompareAndSwap(k2, old2, new2)/(swapped2): empty1 && (!swapped2 || old2 == new2)
//ecl:commute Clear()/(empty1), CompareAndDelete(k2, old2)/(deleted2): empty1 && !deleted2
//ecl:also Clear(), CompareAndDelete(k2, old2)/(deleted2): unused(deleted2)

# LoadOrStore
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || loaded1 && !loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): k1 != k2 || loaded1 && (!swapped2 || old2 == new2)
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), CompareAndDelete(k2, old2)/(deleted2): k1 != k2 || loaded1 && !deleted2
//ecl:also LoadOrStore(k1, v1)/(a1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): !loaded1 && !swapped2 && v1 != old2
//ecl:also LoadOrStore(k1, v1)/(a1, loaded1), CompareAndDelete(k2, old2)/(deleted2): !loaded1 && !deleted2 && v1 != old2

# LoadAndDelete
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), LoadAndDelete(k2)/(v2, loaded2): k1 != k2 || !loaded1 && !loaded2
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): k1 != k2 || !loaded1 && (!swapped2 || old2 == new2)
//ecl:commute LoadAndDelete(k1)/(v1, loaded1), CompareAndDelete(k2, old2)/(deleted2): k1 != k2 || !loaded1 && !deleted2
//ecl:also LoadAndDelete(k1)/(v1, loaded1), CompareAndSwap(k2, old2, new2)/(swapped2): !swapped2 && v1 != old2
//ecl:also LoadAndDelete(k1)/(v1, loaded1), CompareAndDelete(k2, old2)/(deleted2): !deleted2 && v1 != old2

# CompareAndSwap
//ecl:commute CompareAndSwap(k1, old1, new1)/(swapped1), CompareAndSwap(k2, old2, new2)/(swapped2): k1 != k2 || (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:commute CompareAndSwap(k1, old1, new1)/(swapped1), CompareAndDelete(k2, old2)/(deleted2): k1 != k2 || (!swapped1 || old1 == new1) && !deleted2
//ecl:also CompareAndSwap(k1, old1, new1)/(swapped1), CompareAndSwap(k2, old2, new2)/(swapped2): swapped1 && !swapped2 && old1 != old2 && new1 != old2
//ecl:also CompareAndSwap(k1, old1, new1)/(swapped1), CompareAndDelete(k2, old2)/(deleted2): swapped1 && !deleted2 && old1 != old2 && new1 != old2
//ecl:also CompareAndSwap(k1, old1, new1)/(swapped1), CompareAndDelete(k2, old2)/(deleted2): !swapped1 && deleted2 && old1 != old2

# CompareAndDelete: where nobody looks at its result, it leaves with a Store of another value, with
# a Delete or a Clear the same in either order. So old values may be swept while new ones are stored.
//ecl:commute CompareAndDelete(k1, old1)/(deleted1), CompareAndDelete(k2, old2)/(deleted2): k1 != k2 || !deleted1 && !deleted2
//ecl:also CompareAndDelete(k1, old1)/(deleted1), CompareAndDelete(k2, old2)/(deleted2): deleted1 && !deleted2 && old1 != old2
