# k8s.io/client-go/tools/cache, v0.36.0 to v0.37.2: ThreadSafeStore, the storage of
# the Stores and Indexers that NewStore and NewIndexer make, informers' included.
# So a race of Store.Add with Store.Get is one of Add and Get here, with the key.
#
# Not Store itself: its methods do not tell the key of an object, and queues
# (DeltaFIFO) are Stores as well.
#
# Read from the source: every method takes the store's lock once; Add is Update, and
# Delete is DeleteWithObject without an object. What was there before a change is
# asked just before it: what happens between is overlooked. Objects are compared as
# interfaces, so pointers by identity. The spec is tested against the module with
# commute spec test. Before v0.36.0 there is no DeleteWithObject.
#
# Informers change their store while others read. That is so by design, but what a
# reader gets does depend on the order, and is reported; what a handler of the
# informer reads, whom it told of the change, comes after the change.
#
# Left out, so not watched: Index, IndexKeys, ByIndex and ListIndexFuncValues, which
# read what an index says, and not every change concerns them; Transaction, which
# changes many keys; LastStoreSyncResourceVersion and Bookmark; GetIndexers,
# AddIndexers and Resync.

//ecl:module k8s.io/client-go >=v0.36.0 <=v0.37.2
//ecl:type k8s.io/client-go/tools/cache.ThreadSafeStore

# Not exact, by values: Add, {Add, Delete, DeleteWithObject, Update}
# Not exact, by values: Update, {Delete, DeleteWithObject, Update}
# Not exact, by keys: Replace, {Add, Delete, DeleteWithObject, Get, List, ListKeys, Replace,
#   Update}

//ecl:new NewThreadSafeStore(Indexers{}, Indices{})
//ecl:sample string: "a", "b"
//ecl:sample interface{}: 1, 2, "x"

//ecl:group Put(key, obj)/(p, loaded): Add(key, obj)/(p, loaded), Update(key, obj)/(p, loaded)
//ecl:group Remove(key)/(loaded): Delete(key)/(loaded), DeleteWithObject(key, _)/(loaded)

//ecl:observer Get(key)/(item, exists), List()/(items), ListKeys()/(keys)
//ecl:mutator Put, Remove, Replace(items, version)

//ecl:shadow Add(key, obj)/(p, loaded): func() (p any, loaded bool) { p, loaded = Get(key); Add(key, obj); return }()
//ecl:shadow Update(key, obj)/(p, loaded): func() (p any, loaded bool) { p, loaded = Get(key); Update(key, obj); return }()
//ecl:shadow Delete(key)/(loaded): func() (loaded bool) { _, loaded = Get(key); Delete(key); return }()
//ecl:shadow DeleteWithObject(key, obj)/(loaded): func() (loaded bool) { _, loaded = Get(key); DeleteWithObject(key, obj); return }()

//ecl:commute Get(k1), Put(k2, obj2)/(p2, loaded2): k1 != k2 || loaded2 && obj2 == p2
//ecl:commute Get(k1), Remove(k2)/(loaded2): k1 != k2 || !loaded2
//ecl:commute List(), Put(_, obj2)/(p2, loaded2): loaded2 && obj2 == p2
//ecl:commute List(), Remove(_)/(loaded2): !loaded2
//ecl:commute ListKeys(), Put(_, _)/(_, loaded2): loaded2
//ecl:commute ListKeys(), Remove(_)/(loaded2): !loaded2
//ecl:commute Put(k1, obj1)/(p1, loaded1), Put(k2, obj2)/(p2, loaded2): k1 != k2 || loaded1 && obj1 == p1 && loaded2 && obj2 == p2
//ecl:also Add(k1, obj1), Add(k2, obj2): obj1 == obj2
//ecl:also Update(k1, obj1), Update(k2, obj2): obj1 == obj2
//ecl:also Add(k1, obj1), Update(k2, obj2): obj1 == obj2
//ecl:commute Put(k1, obj1)/(p1, loaded1), Remove(k2)/(loaded2): k1 != k2 || loaded1 && obj1 == p1 && !loaded2
//ecl:commute Remove(_), Remove(_): true
//ecl:commute Replace(_, _), {Get, List, ListKeys, Put, Remove, Replace}: false
