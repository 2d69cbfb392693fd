# github.com/dgraph-io/ristretto/v2, v2.0.0 to v2.4.2: Cache.
#
# Read from the source. A Set of a key that is there takes effect at once. One of a
# new key is put into a buffer, and takes effect later or, where the cache is full or
# the buffer, never. A Del takes effect at once, and again after the Sets before it.
# Any entry may be gone at any time. So this much can be promised, and no more:
#
# - Two Sets of one key, or a Set and a Del, that were both accepted leave behind
#   what the later one says.
# - A Get that found a value would have found another one, or none, after a Set that
#   replaced the value by another, or after a Del.
#
# A Get that found nothing is no witness: it might have found nothing in any case. Nor
# is a Set of a new key for a Get: a reader of the key may well miss it. What the order
# of Sets does to evictions is overlooked, and so are costs and deadlines. Where
# ShouldUpdate refuses a value, the Set counts as one of a new key.
#
# The shadows are the bodies of the methods, which are the same in these versions: to
# have the value that was replaced; and to let commute see (commute_leave) what the
# buffer's channel orders, because OnEvict, OnReject and OnExit run after it, and are
# the program's own.
#
# It is not tested by commute spec test: what a Set of a new key does comes too late
# for that.
#
# Left out, so not watched: Clear and Close, during which there may be no other calls;
# Wait; GetTTL, IterValues; MaxCost, UpdateMaxCost, RemainingCost.

//ecl:module github.com/dgraph-io/ristretto/v2 >=v2.0.0 <=v2.4.2
//ecl:type github.com/dgraph-io/ristretto/v2.Cache

//ecl:new NewCache(&Config[string, any]{NumCounters: 1000, MaxCost: 1 << 20, BufferItems: 64})
//ecl:sample K: "a", "b"
//ecl:sample V: nil, 1, 2

//ecl:group Put(key, value)/(set, p, updated): Set(key, value, _)/(set, p, updated), SetWithTTL(key, value, _, _)/(set, p, updated)

//ecl:observer Get(key)/(value, ok)
//ecl:mutator Put, Del(key)/(done)

//ecl:shadow Set(key, value, cost)/(set; p, updated): func() (set bool, p any, updated bool) { if c == nil || c.isClosed.Load() { return }; keyHash, conflictHash := c.keyToHash(key); i := &Item[V]{flag: itemNew, Key: keyHash, Conflict: conflictHash, Value: value, Cost: cost}; prev, updated := c.storedItems.Update(i); commute_leave(&commute_c); defer commute_resume(&commute_c); if updated { c.onExit(prev); i.flag = itemUpdate }; select { case c.setBuf <- i: return true, prev, updated; default: }; if updated { return true, prev, true }; c.Metrics.add(dropSets, keyHash, 1); return false, nil, false }()
//ecl:shadow SetWithTTL(key, value, cost, ttl)/(set; p, updated): func() (set bool, p any, updated bool) { if c == nil || c.isClosed.Load() || ttl < 0 { return }; keyHash, conflictHash := c.keyToHash(key); i := &Item[V]{flag: itemNew, Key: keyHash, Conflict: conflictHash, Value: value, Cost: cost}; if ttl > 0 { i.Expiration = time.Now().Add(ttl) }; prev, updated := c.storedItems.Update(i); commute_leave(&commute_c); defer commute_resume(&commute_c); if updated { c.onExit(prev); i.flag = itemUpdate }; select { case c.setBuf <- i: return true, prev, updated; default: }; if updated { return true, prev, true }; c.Metrics.add(dropSets, keyHash, 1); return false, nil, false }()
//ecl:shadow Del(key)/(done): func() (done bool) { if c == nil || c.isClosed.Load() { return }; keyHash, conflictHash := c.keyToHash(key); _, prev := c.storedItems.Del(keyHash, conflictHash); commute_leave(&commute_c); defer commute_resume(&commute_c); c.onExit(prev); c.setBuf <- &Item[V]{flag: itemDelete, Key: keyHash, Conflict: conflictHash}; return true }()

//ecl:commute Get(k1)/(_, ok1), Put(k2, v2)/(_, p2, updated2): k1 != k2 || !ok1 || !updated2 || v2 == p2
//ecl:commute Get(k1)/(_, ok1), Del(k2)/(done2): k1 != k2 || !ok1 || !done2
//ecl:commute Put(k1, v1)/(set1, p1, updated1), Put(k2, v2)/(set2, p2, updated2): k1 != k2 || !set1 || !set2 || updated1 && v1 == p1 && updated2 && v2 == p2
//ecl:also Set(k1, v1, _), Set(k2, v2, _): v1 == v2
//ecl:also SetWithTTL(k1, v1, _, _), SetWithTTL(k2, v2, _, _): v1 == v2
//ecl:also Set(k1, v1, _), SetWithTTL(k2, v2, _, _): v1 == v2
//ecl:commute Put(k1, _)/(set1, _, _), Del(k2)/(done2): k1 != k2 || !set1 || !done2
//ecl:commute Del(_), Del(_): true
