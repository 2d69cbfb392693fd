# github.com/patrickmn/go-cache, v2.1.0, the last version: the methods of *Cache are
# those of *cache, which it embeds.
#
# Read from the source: every method takes the cache's lock once. What was there
# before a change is asked just before it: what happens between is overlooked. The
# spec is tested against the module with commute spec test.
#
# An item that has expired is absent. kept says that an item had no deadline before
# a Set and has none after it; one that was given a new deadline is another for
# GetWithExpiration and Items. Two deadlines that were made from the same duration
# are taken for the same. What expires does so by the clock, whatever the order of
# calls.
#
# Increment and Decrement return nothing, and commute: what the order of additions
# does to the rounding of floating point numbers is overlooked. Those that return
# the new value (IncrementInt and so on) are arbiters: races among them, or with
# readers, are reported with level=all only. So are those of Add and Replace.
#
# A Delete calls the function that OnEvicted was given; what that one synchronizes is
# hidden with the rest of the call.
#
# Left out, so not watched: DeleteExpired, by which the cache's own goroutine
# removes what nobody sees; OnEvicted; Save, SaveFile, Load and LoadFile.

//ecl:module github.com/patrickmn/go-cache >=v2.1.0 <=v2.1.0
//ecl:type github.com/patrickmn/go-cache.cache

# Not exact, by values: {Get, GetWithExpiration}, Replace
# Not exact, by keys: Flush, {Add, Decrement, DecrementFloat, DecrementFloat32, DecrementFloat64,
#   DecrementInt, DecrementInt16, DecrementInt32, DecrementInt64, DecrementInt8, DecrementUint,
#   DecrementUint16, DecrementUint32, DecrementUint64, DecrementUint8, DecrementUintptr, Get,
#   GetWithExpiration, Increment, IncrementFloat, IncrementFloat32, IncrementFloat64,
#   IncrementInt, IncrementInt16, IncrementInt32, IncrementInt64, IncrementInt8, IncrementUint,
#   IncrementUint16, IncrementUint32, IncrementUint64, IncrementUint8, IncrementUintptr, Replace,
#   Set, SetDefault}
# Not exact, by shown: Items, Replace
# Not exact, by values: Add, Delete
# Not exact, by values: Replace, {Decrement, DecrementFloat, DecrementFloat32, DecrementFloat64,
#   DecrementInt, DecrementInt16, DecrementInt32, DecrementInt64, DecrementInt8, DecrementUint,
#   DecrementUint16, DecrementUint32, DecrementUint64, DecrementUint8, DecrementUintptr,
#   Increment, IncrementFloat, IncrementFloat32, IncrementFloat64, IncrementInt, IncrementInt16,
#   IncrementInt32, IncrementInt64, IncrementInt8, IncrementUint, IncrementUint16,
#   IncrementUint32, IncrementUint64, IncrementUint8, IncrementUintptr, Replace}
# Not exact, by values: Set, {Decrement, DecrementFloat, DecrementFloat32, DecrementFloat64,
#   DecrementInt, DecrementInt16, DecrementInt32, DecrementInt64, DecrementInt8, DecrementUint,
#   DecrementUint16, DecrementUint32, DecrementUint64, DecrementUint8, DecrementUintptr, Delete,
#   Increment, IncrementFloat, IncrementFloat32, IncrementFloat64, IncrementInt, IncrementInt16,
#   IncrementInt32, IncrementInt64, IncrementInt8, IncrementUint, IncrementUint16,
#   IncrementUint32, IncrementUint64, IncrementUint8, IncrementUintptr, Replace, Set, SetDefault}
# Not exact, by values: SetDefault, {Decrement, DecrementFloat, DecrementFloat32,
#   DecrementFloat64, DecrementInt, DecrementInt16, DecrementInt32, DecrementInt64,
#   DecrementInt8, DecrementUint, DecrementUint16, DecrementUint32, DecrementUint64,
#   DecrementUint8, DecrementUintptr, Delete, Increment, IncrementFloat, IncrementFloat32,
#   IncrementFloat64, IncrementInt, IncrementInt16, IncrementInt32, IncrementInt64,
#   IncrementInt8, IncrementUint, IncrementUint16, IncrementUint32, IncrementUint64,
#   IncrementUint8, IncrementUintptr, Replace, SetDefault}

//ecl:new New(NoExpiration, 0)
//ecl:sample string: "a", "b"
//ecl:sample interface{}: nil, 1, 2, int64(3)
//ecl:sample time.Duration: NoExpiration, DefaultExpiration

//ecl:group Store(k, x)/(p, loaded, kept): Set(k, x, _)/(p, loaded, kept), SetDefault(k, x)/(p, loaded, kept)
//ecl:group Sum(k, n)/(err): Increment(k, n)/(err), IncrementFloat(k, n)/(err), Decrement(k, n)/(err), DecrementFloat(k, n)/(err)
//ecl:group Next(k, n)/(v, err): IncrementInt(k, n)/(v, err), IncrementInt8(k, n)/(v, err), IncrementInt16(k, n)/(v, err), IncrementInt32(k, n)/(v, err), IncrementInt64(k, n)/(v, err), IncrementUint(k, n)/(v, err), IncrementUintptr(k, n)/(v, err), IncrementUint8(k, n)/(v, err), IncrementUint16(k, n)/(v, err), IncrementUint32(k, n)/(v, err), IncrementUint64(k, n)/(v, err), IncrementFloat32(k, n)/(v, err), IncrementFloat64(k, n)/(v, err), DecrementInt(k, n)/(v, err), DecrementInt8(k, n)/(v, err), DecrementInt16(k, n)/(v, err), DecrementInt32(k, n)/(v, err), DecrementInt64(k, n)/(v, err), DecrementUint(k, n)/(v, err), DecrementUintptr(k, n)/(v, err), DecrementUint8(k, n)/(v, err), DecrementUint16(k, n)/(v, err), DecrementUint32(k, n)/(v, err), DecrementUint64(k, n)/(v, err), DecrementFloat32(k, n)/(v, err), DecrementFloat64(k, n)/(v, err)

//ecl:observer Get(k)/(x, ok), GetWithExpiration(k)/(x, t, ok), Items()/(items), ItemCount()/(n)
//ecl:mutator Store, Sum, Delete(k)/(loaded), Flush()/(empty)
//ecl:arbiter Add(k, x, d)/(err), Replace(k, x, d)/(err), Next

//ecl:shadow Set(k, x, d)/(p, loaded, kept): func() (p interface{}, loaded, kept bool) { p, before, loaded := GetWithExpiration(k); Set(k, x, d); _, after, _ := GetWithExpiration(k); return p, loaded, before.IsZero() && after.IsZero() }()
//ecl:shadow SetDefault(k, x)/(p, loaded, kept): func() (p interface{}, loaded, kept bool) { p, before, loaded := GetWithExpiration(k); SetDefault(k, x); _, after, _ := GetWithExpiration(k); return p, loaded, before.IsZero() && after.IsZero() }()
//ecl:shadow Delete(k)/(loaded): func() (loaded bool) { _, loaded = Get(k); Delete(k); return }()
//ecl:shadow Flush()/(empty): func() (empty bool) { empty = ItemCount() == 0; Flush(); return }()

# Get
//ecl:commute Get(k1), Store(k2, x2)/(p2, loaded2, kept2): k1 != k2 || loaded2 && x2 == p2
//ecl:commute Get(k1), Add(k2, _, _)/(err2): k1 != k2 || err2 != nil
//ecl:commute Get(k1), Replace(k2, _, _)/(err2): k1 != k2 || err2 != nil
//ecl:commute Get(k1), Sum(k2, n2)/(err2): k1 != k2 || err2 != nil || n2 == 0
//ecl:commute Get(k1), Next(k2, n2)/(_, err2): k1 != k2 || err2 != nil || n2 == 0
//ecl:commute Get(k1), Delete(k2)/(loaded2): k1 != k2 || !loaded2
//ecl:commute Get(k1), Flush()/(empty2): empty2

# GetWithExpiration
//ecl:commute GetWithExpiration(k1), Store(k2, x2)/(p2, loaded2, kept2): k1 != k2 || loaded2 && x2 == p2 && kept2
//ecl:commute GetWithExpiration(k1), Add(k2, _, _)/(err2): k1 != k2 || err2 != nil
//ecl:commute GetWithExpiration(k1), Replace(k2, _, _)/(err2): k1 != k2 || err2 != nil
//ecl:commute GetWithExpiration(k1), Sum(k2, n2)/(err2): k1 != k2 || err2 != nil || n2 == 0
//ecl:commute GetWithExpiration(k1), Next(k2, n2)/(_, err2): k1 != k2 || err2 != nil || n2 == 0
//ecl:commute GetWithExpiration(k1), Delete(k2)/(loaded2): k1 != k2 || !loaded2
//ecl:commute GetWithExpiration(k1), Flush()/(empty2): empty2

# The key set
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), ItemCount(): loaded1
//ecl:commute Add(k1, _, _)/(err1), ItemCount(): err1 != nil
//ecl:commute Replace(k1, _, _)/(err1), ItemCount(): true
//ecl:commute Sum(k1, n1)/(err1), ItemCount(): true
//ecl:commute Next(k1, n1)/(_, err1), ItemCount(): true
//ecl:commute Delete(k1)/(loaded1), ItemCount(): !loaded1
//ecl:commute Flush()/(empty1), ItemCount(): empty1

# Everything
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), Items(): loaded1 && x1 == p1 && kept1
//ecl:commute Add(k1, _, _)/(err1), Items(): err1 != nil
//ecl:commute Replace(k1, _, _)/(err1), Items(): err1 != nil
//ecl:commute Sum(k1, n1)/(err1), Items(): err1 != nil || n1 == 0
//ecl:commute Next(k1, n1)/(_, err1), Items(): err1 != nil || n1 == 0
//ecl:commute Delete(k1)/(loaded1), Items(): !loaded1
//ecl:commute Flush()/(empty1), Items(): empty1

# Store
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), Store(k2, x2)/(p2, loaded2, kept2): k1 != k2 || loaded1 && x1 == p1 && kept1 && loaded2 && x2 == p2 && kept2
//ecl:also Set(k1, x1, d1), Set(k2, x2, d2): x1 == x2 && d1 == d2
//ecl:also SetDefault(k1, x1), SetDefault(k2, x2): x1 == x2
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), Add(k2, _, _)/(err2): k1 != k2 || loaded1 && err2 != nil
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), Replace(k2, _, _)/(err2): k1 != k2 || loaded1 && x1 == p1 && err2 != nil
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), Sum(k2, n2)/(err2): k1 != k2 || loaded1 && x1 == p1 && (err2 != nil || n2 == 0)
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), Next(k2, n2)/(_, err2): k1 != k2 || loaded1 && x1 == p1 && (err2 != nil || n2 == 0)
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), Delete(k2)/(loaded2): k1 != k2 || loaded1 && x1 == p1 && !loaded2
//ecl:commute Store(k1, x1)/(p1, loaded1, kept1), Flush()/(empty2): loaded1 && x1 == p1 && empty2

# Add. One that fails has seen that there is an item, and no more: what changes that item makes no difference to it.
//ecl:commute Add(k1, _, _)/(err1), Add(k2, _, _)/(err2): k1 != k2 || err1 != nil && err2 != nil
//ecl:commute Add(k1, _, _)/(err1), Replace(k2, _, _)/(err2): k1 != k2 || err1 != nil
//ecl:commute Add(k1, _, _)/(err1), Sum(k2, n2)/(err2): k1 != k2 || err1 != nil
//ecl:commute Add(k1, _, _)/(err1), Next(k2, n2)/(_, err2): k1 != k2 || err1 != nil
//ecl:commute Add(k1, _, _)/(err1), Delete(k2)/(loaded2): k1 != k2 || err1 != nil && !loaded2
//ecl:commute Add(k1, _, _)/(err1), Flush()/(empty2): err1 != nil && empty2

# Replace
//ecl:commute Replace(k1, _, _)/(err1), Replace(k2, _, _)/(err2): k1 != k2 || err1 != nil && err2 != nil
//ecl:commute Replace(k1, _, _)/(err1), Sum(k2, n2)/(err2): k1 != k2 || err1 != nil && (err2 != nil || n2 == 0)
//ecl:commute Replace(k1, _, _)/(err1), Next(k2, n2)/(_, err2): k1 != k2 || err1 != nil && (err2 != nil || n2 == 0)
//ecl:commute Replace(k1, _, _)/(err1), Delete(k2)/(loaded2): k1 != k2 || err1 != nil && !loaded2
//ecl:commute Replace(k1, _, _)/(err1), Flush()/(empty2): err1 != nil && empty2

# Sum
//ecl:commute Sum(k1, n1)/(err1), Sum(k2, n2)/(err2): true
//ecl:commute Sum(k1, n1)/(err1), Next(k2, n2)/(_, err2): k1 != k2 || err1 != nil || n1 == 0 || err2 != nil
//ecl:commute Sum(k1, n1)/(err1), Delete(k2)/(loaded2): k1 != k2 || (err1 != nil || n1 == 0) && !loaded2
//ecl:commute Sum(k1, n1)/(err1), Flush()/(empty2): (err1 != nil || n1 == 0) && empty2

# Next
//ecl:commute Next(k1, n1)/(_, err1), Next(k2, n2)/(_, err2): k1 != k2 || err1 != nil || err2 != nil || n1 == 0 && n2 == 0
//ecl:commute Next(k1, n1)/(_, err1), Delete(k2)/(loaded2): k1 != k2 || (err1 != nil || n1 == 0) && !loaded2
//ecl:commute Next(k1, n1)/(_, err1), Flush()/(empty2): (err1 != nil || n1 == 0) && empty2

# Delete
//ecl:commute Delete(k1)/(loaded1), Delete(k2)/(loaded2): true
//ecl:commute Delete(k1)/(loaded1), Flush()/(empty2): true

# Flush
//ecl:commute Flush()/(empty1), Flush()/(empty2): true
