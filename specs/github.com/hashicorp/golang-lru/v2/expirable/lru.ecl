# github.com/hashicorp/golang-lru/v2/expirable, v2.0.5 (the first with it) to
# v2.0.7: LRU.
#
# Read from the source: every method takes the cache's lock once, and calls the
# function that NewLRU was given for evictions under it; what that one synchronizes
# is hidden with the rest of the call. What was there before a change is asked just
# before it: what happens between is overlooked. The spec is tested against the module
# with commute spec test, on caches that are not full.
#
# As for Cache, neither the recency of entries nor what an Add evicts counts. What
# expires does so by the clock, whatever the order of calls; that an Add of the same
# value gives the entry more time is overlooked.
#
# Left out, so not watched, because they show the recency: Keys, Values, GetOldest,
# RemoveOldest, Resize.

//ecl:module github.com/hashicorp/golang-lru/v2 >=v2.0.5 <=v2.0.7
//ecl:type github.com/hashicorp/golang-lru/v2/expirable.LRU

# Not exact, by keys: Purge, {Add, Contains, Get, Peek, Remove}
# Not exact, by values: Add, {Add, Remove}

//ecl:new NewLRU[string, any](64, nil, 0)
//ecl:sample K: "a", "b"
//ecl:sample V: nil, 1, 2

//ecl:group Read(key): Get(key)/(value, ok), Peek(key)/(value, ok)

//ecl:observer Read, Contains(key)/(ok), Len()/(n)
//ecl:mutator Add(key, value)/(evicted; previous, loaded), Purge()/(empty)
//ecl:arbiter Remove(key)/(present)

//ecl:shadow Add(key, value)/(evicted; previous, loaded): func() (evicted bool, previous any, loaded bool) { previous, loaded = Peek(key); evicted = Add(key, value); return }()
//ecl:shadow Purge()/(empty): func() (empty bool) { empty = Len() == 0; Purge(); return }()

# Read
//ecl:commute Read(k1), Add(k2, v2)/(evicted2, p2, loaded2): k1 != k2 || loaded2 && v2 == p2
//ecl:commute Read(k1), Purge()/(empty2): empty2
//ecl:commute Read(k1), Remove(k2)/(present2): k1 != k2 || !present2

# Contains
//ecl:commute Contains(k1), Add(k2, v2)/(evicted2, p2, loaded2): k1 != k2 || loaded2
//ecl:commute Contains(k1), Purge()/(empty2): empty2
//ecl:commute Contains(k1), Remove(k2)/(present2): k1 != k2 || !present2

# The size
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), Len(): loaded1 || evicted1
//ecl:commute Purge()/(empty1), Len(): empty1
//ecl:commute Remove(k1)/(present1), Len(): !present1

# Add
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), Add(k2, v2)/(evicted2, p2, loaded2): k1 != k2 || loaded1 && v1 == p1 && loaded2 && v2 == p2
//ecl:also Add(k1, v1)/(evicted1, p1, loaded1), Add(k2, v2)/(evicted2, p2, loaded2): v1 == v2
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), Purge()/(empty2): loaded1 && v1 == p1 && empty2
//ecl:commute Add(k1, v1)/(evicted1, p1, loaded1), Remove(k2)/(present2): k1 != k2 || loaded1 && v1 == p1 && !present2

# Purge
//ecl:commute Purge()/(empty1), Purge()/(empty2): true
//ecl:commute Purge()/(empty1), Remove(k2)/(present2): empty1 && !present2

# Remove
//ecl:commute Remove(k1)/(present1), Remove(k2)/(present2): k1 != k2 || !present1 && !present2
