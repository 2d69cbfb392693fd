# sync/atomic's types, as of Go 1.26: registers, and counters.
#
# They apply on request only, as in commute test -spec sync/atomic: an atomic variable
# is there to be raced on, and most of its uses would be reported. Only calls in
# the user's own packages are watched. Read from the source, and tested with commute
# spec test.
#
# A Swap of equal values, an Add of 0, an And or Or that changed no bit, and a
# CompareAndSwap that failed or put in what was there are readers. Adds commute with
# Adds where nobody looks at the sums, Ands with Ands and Ors with Ors likewise.
# Stores commute if they store equal values, though one of them may have changed
# something: what a Store found is not known, for asking would be synchronization.
# A Value is taken to have values of one type; calls with others panic.

//ecl:type sync/atomic.Int32

# Not exact, by numbers: {Add, And, Or}, CompareAndSwap
# Not exact, by numbers: Load, Store
# Not exact, by numbers: Store, {Add, And, CompareAndSwap, Or, Store, Swap}
//ecl:open
//ecl:new new(Int32)
//ecl:observer Load()/val
//ecl:mutator Store(val), Swap(new)/old, Add(delta)/new, And(mask)/old, Or(mask)/old
//ecl:arbiter CompareAndSwap(old, new)/swapped
//ecl:default false
//ecl:also Store(val1), Store(val2): val1 == val2
//ecl:also Store(val1), Swap(new2)/old2: val1 == new2 && unused(old2)
//ecl:commute Load(), Swap(new2)/old2: new2 == old2
//ecl:commute Swap(new1)/old1, Swap(new2)/old2: new1 == old1 && new2 == old2
//ecl:also Swap(new1)/old1, Swap(new2)/old2: new1 == new2 && unused(old1) && unused(old2)
//ecl:commute Swap(new1)/old1, Add(delta2)/new2: new1 == old1 && delta2 == 0
//ecl:commute Swap(new1)/old1, And(mask2)/old2: new1 == old1 && old2 & mask2 == old2
//ecl:commute Swap(new1)/old1, Or(mask2)/old2: new1 == old1 && old2 | mask2 == old2
//ecl:commute Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: new1 == old1 && (!swapped2 || old2 == new2)
//ecl:also Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: !swapped2 && new1 != old2 && old1 != old2
//ecl:commute Load(), Add(delta2)/new2: delta2 == 0
//ecl:commute Add(delta1)/new1, Add(delta2)/new2: delta1 == 0 && delta2 == 0
//ecl:also Add(delta1)/new1, Add(delta2)/new2: unused(new1) && unused(new2)
//ecl:commute Add(delta1)/new1, And(mask2)/old2: delta1 == 0 && old2 & mask2 == old2
//ecl:commute Add(delta1)/new1, Or(mask2)/old2: delta1 == 0 && old2 | mask2 == old2
//ecl:commute Add(delta1)/new1, CompareAndSwap(old2, new2)/swapped2: delta1 == 0 && (!swapped2 || old2 == new2)
//ecl:commute Load(), And(mask2)/old2: old2 & mask2 == old2
//ecl:commute And(mask1)/old1, And(mask2)/old2: old1 & mask1 == old1 && old2 & mask2 == old2
//ecl:also And(mask1)/old1, And(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute And(mask1)/old1, Or(mask2)/old2: old1 & mask1 == old1 && old2 | mask2 == old2
//ecl:commute And(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 & mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), Or(mask2)/old2: old2 | mask2 == old2
//ecl:commute Or(mask1)/old1, Or(mask2)/old2: old1 | mask1 == old1 && old2 | mask2 == old2
//ecl:also Or(mask1)/old1, Or(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute Or(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 | mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), CompareAndSwap(old2, new2)/swapped2: !swapped2 || old2 == new2
//ecl:commute CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:also CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: swapped1 && !swapped2 && old1 != old2 && new1 != old2

//ecl:type sync/atomic.Int64

# Not exact, by numbers: {Add, And, Or}, CompareAndSwap
# Not exact, by numbers: Load, Store
# Not exact, by numbers: Store, {Add, And, CompareAndSwap, Or, Store, Swap}
//ecl:open
//ecl:new new(Int64)
//ecl:observer Load()/val
//ecl:mutator Store(val), Swap(new)/old, Add(delta)/new, And(mask)/old, Or(mask)/old
//ecl:arbiter CompareAndSwap(old, new)/swapped
//ecl:default false
//ecl:also Store(val1), Store(val2): val1 == val2
//ecl:also Store(val1), Swap(new2)/old2: val1 == new2 && unused(old2)
//ecl:commute Load(), Swap(new2)/old2: new2 == old2
//ecl:commute Swap(new1)/old1, Swap(new2)/old2: new1 == old1 && new2 == old2
//ecl:also Swap(new1)/old1, Swap(new2)/old2: new1 == new2 && unused(old1) && unused(old2)
//ecl:commute Swap(new1)/old1, Add(delta2)/new2: new1 == old1 && delta2 == 0
//ecl:commute Swap(new1)/old1, And(mask2)/old2: new1 == old1 && old2 & mask2 == old2
//ecl:commute Swap(new1)/old1, Or(mask2)/old2: new1 == old1 && old2 | mask2 == old2
//ecl:commute Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: new1 == old1 && (!swapped2 || old2 == new2)
//ecl:also Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: !swapped2 && new1 != old2 && old1 != old2
//ecl:commute Load(), Add(delta2)/new2: delta2 == 0
//ecl:commute Add(delta1)/new1, Add(delta2)/new2: delta1 == 0 && delta2 == 0
//ecl:also Add(delta1)/new1, Add(delta2)/new2: unused(new1) && unused(new2)
//ecl:commute Add(delta1)/new1, And(mask2)/old2: delta1 == 0 && old2 & mask2 == old2
//ecl:commute Add(delta1)/new1, Or(mask2)/old2: delta1 == 0 && old2 | mask2 == old2
//ecl:commute Add(delta1)/new1, CompareAndSwap(old2, new2)/swapped2: delta1 == 0 && (!swapped2 || old2 == new2)
//ecl:commute Load(), And(mask2)/old2: old2 & mask2 == old2
//ecl:commute And(mask1)/old1, And(mask2)/old2: old1 & mask1 == old1 && old2 & mask2 == old2
//ecl:also And(mask1)/old1, And(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute And(mask1)/old1, Or(mask2)/old2: old1 & mask1 == old1 && old2 | mask2 == old2
//ecl:commute And(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 & mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), Or(mask2)/old2: old2 | mask2 == old2
//ecl:commute Or(mask1)/old1, Or(mask2)/old2: old1 | mask1 == old1 && old2 | mask2 == old2
//ecl:also Or(mask1)/old1, Or(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute Or(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 | mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), CompareAndSwap(old2, new2)/swapped2: !swapped2 || old2 == new2
//ecl:commute CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:also CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: swapped1 && !swapped2 && old1 != old2 && new1 != old2

//ecl:type sync/atomic.Uint32

# Not exact, by numbers: {Add, And, Or}, CompareAndSwap
# Not exact, by numbers: Load, Store
# Not exact, by numbers: Store, {Add, And, CompareAndSwap, Or, Store, Swap}
//ecl:open
//ecl:new new(Uint32)
//ecl:observer Load()/val
//ecl:mutator Store(val), Swap(new)/old, Add(delta)/new, And(mask)/old, Or(mask)/old
//ecl:arbiter CompareAndSwap(old, new)/swapped
//ecl:default false
//ecl:also Store(val1), Store(val2): val1 == val2
//ecl:also Store(val1), Swap(new2)/old2: val1 == new2 && unused(old2)
//ecl:commute Load(), Swap(new2)/old2: new2 == old2
//ecl:commute Swap(new1)/old1, Swap(new2)/old2: new1 == old1 && new2 == old2
//ecl:also Swap(new1)/old1, Swap(new2)/old2: new1 == new2 && unused(old1) && unused(old2)
//ecl:commute Swap(new1)/old1, Add(delta2)/new2: new1 == old1 && delta2 == 0
//ecl:commute Swap(new1)/old1, And(mask2)/old2: new1 == old1 && old2 & mask2 == old2
//ecl:commute Swap(new1)/old1, Or(mask2)/old2: new1 == old1 && old2 | mask2 == old2
//ecl:commute Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: new1 == old1 && (!swapped2 || old2 == new2)
//ecl:also Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: !swapped2 && new1 != old2 && old1 != old2
//ecl:commute Load(), Add(delta2)/new2: delta2 == 0
//ecl:commute Add(delta1)/new1, Add(delta2)/new2: delta1 == 0 && delta2 == 0
//ecl:also Add(delta1)/new1, Add(delta2)/new2: unused(new1) && unused(new2)
//ecl:commute Add(delta1)/new1, And(mask2)/old2: delta1 == 0 && old2 & mask2 == old2
//ecl:commute Add(delta1)/new1, Or(mask2)/old2: delta1 == 0 && old2 | mask2 == old2
//ecl:commute Add(delta1)/new1, CompareAndSwap(old2, new2)/swapped2: delta1 == 0 && (!swapped2 || old2 == new2)
//ecl:commute Load(), And(mask2)/old2: old2 & mask2 == old2
//ecl:commute And(mask1)/old1, And(mask2)/old2: old1 & mask1 == old1 && old2 & mask2 == old2
//ecl:also And(mask1)/old1, And(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute And(mask1)/old1, Or(mask2)/old2: old1 & mask1 == old1 && old2 | mask2 == old2
//ecl:commute And(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 & mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), Or(mask2)/old2: old2 | mask2 == old2
//ecl:commute Or(mask1)/old1, Or(mask2)/old2: old1 | mask1 == old1 && old2 | mask2 == old2
//ecl:also Or(mask1)/old1, Or(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute Or(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 | mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), CompareAndSwap(old2, new2)/swapped2: !swapped2 || old2 == new2
//ecl:commute CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:also CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: swapped1 && !swapped2 && old1 != old2 && new1 != old2

//ecl:type sync/atomic.Uint64

# Not exact, by numbers: {Add, And, Or}, CompareAndSwap
# Not exact, by numbers: Load, Store
# Not exact, by numbers: Store, {Add, And, CompareAndSwap, Or, Store, Swap}
//ecl:open
//ecl:new new(Uint64)
//ecl:observer Load()/val
//ecl:mutator Store(val), Swap(new)/old, Add(delta)/new, And(mask)/old, Or(mask)/old
//ecl:arbiter CompareAndSwap(old, new)/swapped
//ecl:default false
//ecl:also Store(val1), Store(val2): val1 == val2
//ecl:also Store(val1), Swap(new2)/old2: val1 == new2 && unused(old2)
//ecl:commute Load(), Swap(new2)/old2: new2 == old2
//ecl:commute Swap(new1)/old1, Swap(new2)/old2: new1 == old1 && new2 == old2
//ecl:also Swap(new1)/old1, Swap(new2)/old2: new1 == new2 && unused(old1) && unused(old2)
//ecl:commute Swap(new1)/old1, Add(delta2)/new2: new1 == old1 && delta2 == 0
//ecl:commute Swap(new1)/old1, And(mask2)/old2: new1 == old1 && old2 & mask2 == old2
//ecl:commute Swap(new1)/old1, Or(mask2)/old2: new1 == old1 && old2 | mask2 == old2
//ecl:commute Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: new1 == old1 && (!swapped2 || old2 == new2)
//ecl:also Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: !swapped2 && new1 != old2 && old1 != old2
//ecl:commute Load(), Add(delta2)/new2: delta2 == 0
//ecl:commute Add(delta1)/new1, Add(delta2)/new2: delta1 == 0 && delta2 == 0
//ecl:also Add(delta1)/new1, Add(delta2)/new2: unused(new1) && unused(new2)
//ecl:commute Add(delta1)/new1, And(mask2)/old2: delta1 == 0 && old2 & mask2 == old2
//ecl:commute Add(delta1)/new1, Or(mask2)/old2: delta1 == 0 && old2 | mask2 == old2
//ecl:commute Add(delta1)/new1, CompareAndSwap(old2, new2)/swapped2: delta1 == 0 && (!swapped2 || old2 == new2)
//ecl:commute Load(), And(mask2)/old2: old2 & mask2 == old2
//ecl:commute And(mask1)/old1, And(mask2)/old2: old1 & mask1 == old1 && old2 & mask2 == old2
//ecl:also And(mask1)/old1, And(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute And(mask1)/old1, Or(mask2)/old2: old1 & mask1 == old1 && old2 | mask2 == old2
//ecl:commute And(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 & mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), Or(mask2)/old2: old2 | mask2 == old2
//ecl:commute Or(mask1)/old1, Or(mask2)/old2: old1 | mask1 == old1 && old2 | mask2 == old2
//ecl:also Or(mask1)/old1, Or(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute Or(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 | mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), CompareAndSwap(old2, new2)/swapped2: !swapped2 || old2 == new2
//ecl:commute CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:also CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: swapped1 && !swapped2 && old1 != old2 && new1 != old2

//ecl:type sync/atomic.Uintptr

# Not exact, by numbers: {Add, And, Or}, CompareAndSwap
# Not exact, by numbers: Load, Store
# Not exact, by numbers: Store, {Add, And, CompareAndSwap, Or, Store, Swap}
//ecl:open
//ecl:new new(Uintptr)
//ecl:observer Load()/val
//ecl:mutator Store(val), Swap(new)/old, Add(delta)/new, And(mask)/old, Or(mask)/old
//ecl:arbiter CompareAndSwap(old, new)/swapped
//ecl:default false
//ecl:also Store(val1), Store(val2): val1 == val2
//ecl:also Store(val1), Swap(new2)/old2: val1 == new2 && unused(old2)
//ecl:commute Load(), Swap(new2)/old2: new2 == old2
//ecl:commute Swap(new1)/old1, Swap(new2)/old2: new1 == old1 && new2 == old2
//ecl:also Swap(new1)/old1, Swap(new2)/old2: new1 == new2 && unused(old1) && unused(old2)
//ecl:commute Swap(new1)/old1, Add(delta2)/new2: new1 == old1 && delta2 == 0
//ecl:commute Swap(new1)/old1, And(mask2)/old2: new1 == old1 && old2 & mask2 == old2
//ecl:commute Swap(new1)/old1, Or(mask2)/old2: new1 == old1 && old2 | mask2 == old2
//ecl:commute Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: new1 == old1 && (!swapped2 || old2 == new2)
//ecl:also Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: !swapped2 && new1 != old2 && old1 != old2
//ecl:commute Load(), Add(delta2)/new2: delta2 == 0
//ecl:commute Add(delta1)/new1, Add(delta2)/new2: delta1 == 0 && delta2 == 0
//ecl:also Add(delta1)/new1, Add(delta2)/new2: unused(new1) && unused(new2)
//ecl:commute Add(delta1)/new1, And(mask2)/old2: delta1 == 0 && old2 & mask2 == old2
//ecl:commute Add(delta1)/new1, Or(mask2)/old2: delta1 == 0 && old2 | mask2 == old2
//ecl:commute Add(delta1)/new1, CompareAndSwap(old2, new2)/swapped2: delta1 == 0 && (!swapped2 || old2 == new2)
//ecl:commute Load(), And(mask2)/old2: old2 & mask2 == old2
//ecl:commute And(mask1)/old1, And(mask2)/old2: old1 & mask1 == old1 && old2 & mask2 == old2
//ecl:also And(mask1)/old1, And(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute And(mask1)/old1, Or(mask2)/old2: old1 & mask1 == old1 && old2 | mask2 == old2
//ecl:commute And(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 & mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), Or(mask2)/old2: old2 | mask2 == old2
//ecl:commute Or(mask1)/old1, Or(mask2)/old2: old1 | mask1 == old1 && old2 | mask2 == old2
//ecl:also Or(mask1)/old1, Or(mask2)/old2: unused(old1) && unused(old2)
//ecl:commute Or(mask1)/old1, CompareAndSwap(old2, new2)/swapped2: old1 | mask1 == old1 && (!swapped2 || old2 == new2)
//ecl:commute Load(), CompareAndSwap(old2, new2)/swapped2: !swapped2 || old2 == new2
//ecl:commute CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:also CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: swapped1 && !swapped2 && old1 != old2 && new1 != old2

//ecl:type sync/atomic.Bool

# Not exact, by numbers: Load, Store
# Not exact, by numbers: Store, {CompareAndSwap, Store, Swap}
//ecl:open
//ecl:new new(Bool)
//ecl:observer Load()/val
//ecl:mutator Store(val), Swap(new)/old
//ecl:arbiter CompareAndSwap(old, new)/swapped
//ecl:default false
//ecl:also Store(val1), Store(val2): val1 == val2
//ecl:also Store(val1), Swap(new2)/old2: val1 == new2 && unused(old2)
//ecl:commute Load(), Swap(new2)/old2: new2 == old2
//ecl:commute Swap(new1)/old1, Swap(new2)/old2: new1 == old1 && new2 == old2
//ecl:also Swap(new1)/old1, Swap(new2)/old2: new1 == new2 && unused(old1) && unused(old2)
//ecl:commute Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: new1 == old1 && (!swapped2 || old2 == new2)
//ecl:also Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: !swapped2 && new1 != old2 && old1 != old2
//ecl:commute Load(), CompareAndSwap(old2, new2)/swapped2: !swapped2 || old2 == new2
//ecl:commute CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:also CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: swapped1 && !swapped2 && old1 != old2 && new1 != old2

//ecl:type sync/atomic.Pointer

# Not exact, by numbers: {Load, Store}, {CompareAndSwap, Store, Swap}
# Not exact, by numbers: Swap, {CompareAndSwap, Swap}
//ecl:open
//ecl:new new(Pointer[int])
//ecl:observer Load()/val
//ecl:mutator Store(val), Swap(new)/old
//ecl:arbiter CompareAndSwap(old, new)/swapped
//ecl:default false
//ecl:also Store(val1), Store(val2): val1 == val2
//ecl:also Store(val1), Swap(new2)/old2: val1 == new2 && unused(old2)
//ecl:commute Load(), Swap(new2)/old2: new2 == old2
//ecl:commute Swap(new1)/old1, Swap(new2)/old2: new1 == old1 && new2 == old2
//ecl:also Swap(new1)/old1, Swap(new2)/old2: new1 == new2 && unused(old1) && unused(old2)
//ecl:commute Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: new1 == old1 && (!swapped2 || old2 == new2)
//ecl:also Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: !swapped2 && new1 != old2 && old1 != old2
//ecl:commute Load(), CompareAndSwap(old2, new2)/swapped2: !swapped2 || old2 == new2
//ecl:commute CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:also CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: swapped1 && !swapped2 && old1 != old2 && new1 != old2

//ecl:type sync/atomic.Value

# Not exact, by numbers: Load, Store
# Not exact, by numbers: Store, {CompareAndSwap, Store, Swap}
//ecl:open
//ecl:new new(Value)
//ecl:sample any: "a", "b"
//ecl:observer Load()/val
//ecl:mutator Store(val), Swap(new)/old
//ecl:arbiter CompareAndSwap(old, new)/swapped
//ecl:default false
//ecl:also Store(val1), Store(val2): val1 == val2
//ecl:also Store(val1), Swap(new2)/old2: val1 == new2 && unused(old2)
//ecl:commute Load(), Swap(new2)/old2: new2 == old2
//ecl:commute Swap(new1)/old1, Swap(new2)/old2: new1 == old1 && new2 == old2
//ecl:also Swap(new1)/old1, Swap(new2)/old2: new1 == new2 && unused(old1) && unused(old2)
//ecl:commute Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: new1 == old1 && (!swapped2 || old2 == new2)
//ecl:also Swap(new1)/old1, CompareAndSwap(old2, new2)/swapped2: !swapped2 && new1 != old2 && old1 != old2
//ecl:commute Load(), CompareAndSwap(old2, new2)/swapped2: !swapped2 || old2 == new2
//ecl:commute CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: (!swapped1 || old1 == new1) && (!swapped2 || old2 == new2)
//ecl:also CompareAndSwap(old1, new1)/swapped1, CompareAndSwap(old2, new2)/swapped2: swapped1 && !swapped2 && old1 != old2 && new1 != old2
