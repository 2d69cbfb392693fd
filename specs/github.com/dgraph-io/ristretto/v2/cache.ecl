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
# is one that found what a Set sets: it may have been there before. What the order
# of Sets does to evictions is overlooked, and so are costs and deadlines.
#
# The cache has goroutines of its own, through which most calls reach each other in
# some order: what they order by accident is no race, and is missed.
#
# Left out, so not watched: Clear and Close, during which there may be no other calls;
# Wait; GetTTL, IterValues; MaxCost, UpdateMaxCost, RemainingCost.

//ecl:module github.com/dgraph-io/ristretto/v2 >=v2.0.0 <=v2.4.2
//ecl:type github.com/dgraph-io/ristretto/v2.Cache

# Not exact, by values: Set, {Del, Set, SetWithTTL}
# Not exact, by values: SetWithTTL, {Del, SetWithTTL}

//ecl:new NewCache(&Config[string, any]{NumCounters: 1000, MaxCost: 1 << 20, BufferItems: 64})
//ecl:sample K: "a", "b"
//ecl:sample V: nil, 1, 2

//ecl:group Put(key, value)/(set): Set(key, value, _)/(set), SetWithTTL(key, value, _, _)/(set)

//ecl:observer Get(key)/(value, ok)
//ecl:mutator Put, Del(key)

//ecl:commute Get(k1)/(_, ok1), Put(k2, v2)/(set2): k1 != k2 || !ok1 || !set2
//ecl:also Get(k1)/(v1, _), Set(k2, v2, _): v1 == v2
//ecl:also Get(k1)/(v1, _), SetWithTTL(k2, v2, _, _): v1 == v2
//ecl:commute Get(k1)/(_, ok1), Del(k2): k1 != k2 || !ok1
//ecl:commute Put(k1, v1)/(set1), Put(k2, v2)/(set2): k1 != k2 || !set1 || !set2
//ecl:also Set(k1, v1, _), Set(k2, v2, _): v1 == v2
//ecl:also SetWithTTL(k1, v1, _, _), SetWithTTL(k2, v2, _, _): v1 == v2
//ecl:also Set(k1, v1, _), SetWithTTL(k2, v2, _, _): v1 == v2
//ecl:commute Put(k1, _)/(set1), Del(k2): k1 != k2 || !set1
//ecl:commute Del(_), Del(_): true
