# github.com/hashicorp/golang-lru/v2, v2.0.0 to v2.0.7: Cache.
#
# Read from the source: every method takes the cache's lock once, and calls the
# function that NewWithEvict was given after that; what that one synchronizes is
# hidden with the rest of the call. PeekOrAdd tells of a key whether it
# is new, and adds it, or which value an Add is about to replace; whether a Purge
# found the cache empty is asked just before. What happens between is overlooked. The
# spec is tested against the module with commute spec test, on caches that are not
# full.
#
# A cache may lose any entry that is not used, and what it loses depends on the
# order of all calls. That order is not taken for a difference here: the recency of
# entries does not count, so two Gets commute, and what an Add evicts does not
# count, so it concerns the key that is added, and Len. So races are missed that
# only show in what is evicted when. Those methods are left out that show it:
# Keys, Values, GetOldest, RemoveOldest, Resize. TwoQueueCache is left out as well.
#
# An Add of the value that was there, a ContainsOrAdd or PeekOrAdd that found one,
# and a Remove of an absent key change nothing: they are readers of their key.

//ecl:module github.com/hashicorp/golang-lru/v2 >=v2.0.0 <=v2.0.7
//ecl:type github.com/hashicorp/golang-lru/v2.Cache

# Not exact, by keys: Purge, {Add, Contains, ContainsOrAdd, Get, Peek, PeekOrAdd, Remove}
# Not exact, by values: Add, {Add, ContainsOrAdd, Remove}

//ecl:new New[string, any](64)
//ecl:sample K: "a", "b"
//ecl:sample V: nil, 1, 2

//ecl:group Read(key): Get(key)/(value, ok), Peek(key)/(value, ok)

//ecl:observer Read, Contains(key)/(ok), Len()/(n)
//ecl:mutator Add(key, value)/(evicted; previous, loaded), Purge()/(empty)
//ecl:arbiter ContainsOrAdd(key, value)/(ok, evicted), PeekOrAdd(key, value)/(previous, ok, evicted), Remove(key)/(present)

//ecl:shadow Add(key, value)/(evicted; previous, loaded): func() (evicted bool, previous any, loaded bool) { if previous, loaded, evicted = PeekOrAdd(key, value); loaded { evicted = Add(key, value) }; return }()
//ecl:shadow Purge()/(empty): func() (empty bool) { empty = Len() == 0; Purge(); return }()

# Read
//ecl:commute Read(k1), Add(k2, v2)/(evicted2, p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Read(k1), Purge()/(empty2): empty2
//ecl:commute Read(k1), ContainsOrAdd(k2, _)/(ok2, evicted2): k1 != k2 || ok2
//ecl:commute Read(k1), PeekOrAdd(k2, _)/(_, ok2, evicted2): k1 != k2 || ok2
//ecl:commute Read(k1), Remove(k2)/(present2): k1 != k2 || !present2

# Contains
//ecl:commute Contains(k1), Add(k2, v2)/(evicted2, p2, loaded2): k1 != k2 || loaded2
//ecl:commute Contains(k1), Purge()/(empty2): empty2
//ecl:commute Contains(k1), ContainsOrAdd(k2, _)/(ok2, evicted2): k1 != k2 || ok2
//ecl:commute Contains(k1), PeekOrAdd(k2, _)/(_, ok2, evicted2): k1 != k2 || ok2
//ecl:commute Contains(k1), Remove(k2)/(present2): k1 != k2 || !present2

# The size
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), Len(): loaded1 || evicted1
//ecl:commute Purge()/(empty1), Len(): empty1
//ecl:commute ContainsOrAdd(k1, _)/(ok1, evicted1), Len(): ok1 || evicted1
//ecl:commute PeekOrAdd(k1, _)/(_, ok1, evicted1), Len(): ok1 || evicted1
//ecl:commute Remove(k1)/(present1), Len(): !present1

# Add
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), Add(k2, v2)/(evicted2, p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:also Add(k1, v1)/(evicted1, p1, loaded1), Add(k2, v2)/(evicted2, p2, loaded2): v1 == v2
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), Purge()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), ContainsOrAdd(k2, _)/(ok2, evicted2): k1 != k2 || loaded1 && v1 == p1 && ok2
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), PeekOrAdd(k2, _)/(_, ok2, evicted2): k1 != k2 || loaded1 && v1 == p1 && ok2
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), Remove(k2)/(present2): k1 != k2 || loaded1 && v1 == p1 && !present2

# Purge
//ecl:commute Purge()/(empty1), Purge()/(empty2): true
//ecl:commute Purge()/(empty1), ContainsOrAdd(k2, _)/(ok2, evicted2): empty1 && ok2
//ecl:commute Purge()/(empty1), PeekOrAdd(k2, _)/(_, ok2, evicted2): empty1 && ok2
//ecl:commute Purge()/(empty1), Remove(k2)/(present2): empty1 && !present2

# ContainsOrAdd
//ecl:commute ContainsOrAdd(k1, _)/(ok1, evicted1), ContainsOrAdd(k2, _)/(ok2, evicted2): k1 != k2 || ok1 && ok2
//ecl:commute ContainsOrAdd(k1, _)/(ok1, evicted1), PeekOrAdd(k2, _)/(_, ok2, evicted2): k1 != k2 || ok1 && ok2
//ecl:commute ContainsOrAdd(k1, _)/(ok1, evicted1), Remove(k2)/(present2): k1 != k2 || ok1 && !present2

# PeekOrAdd
//ecl:commute PeekOrAdd(k1, _)/(_, ok1, evicted1), PeekOrAdd(k2, _)/(_, ok2, evicted2): k1 != k2 || ok1 && ok2
//ecl:commute PeekOrAdd(k1, _)/(_, ok1, evicted1), Remove(k2)/(present2): k1 != k2 || ok1 && !present2

# Remove
//ecl:commute Remove(k1)/(present1), Remove(k2)/(present2): k1 != k2 || !present1 && !present2
