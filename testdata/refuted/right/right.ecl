# What is right of the types of package refuted.

//ecl:type github.com/commutego/commute/testdata/refuted.Dict
//ecl:observer Get(k)/(v)
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Get(k1)/(v1), Put(k2, v2): k1 != k2
//ecl:also Put(k1, v1), Put(k2, v2): v1 == v2

//ecl:type github.com/commutego/commute/testdata/refuted.Sized
//ecl:observer Len()/(n)
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Len()/(n1), Put(k2, v2): false

//ecl:type github.com/commutego/commute/testdata/refuted.Deleter
//ecl:commute Put(k1), Put(k2): true
//ecl:commute Put(k1), Delete(k2)/(n2): k1 != k2
//ecl:commute Delete(k1)/(n1), Delete(k2)/(n2): k1 != k2 || n1 == 0 && n2 == 0

//ecl:type github.com/commutego/commute/testdata/refuted.Set
//ecl:observer Has(x)/(ok)
//ecl:commute Add(x1)/(ok1), Add(x2)/(ok2): x1 != x2 || !ok1 && !ok2
//ecl:commute Add(x1)/(ok1), Has(x2)/(ok2): x1 != x2 || !ok1

//ecl:type github.com/commutego/commute/testdata/refuted.Table
//ecl:observer Load(k)/(v, ok)
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): k1 != k2 || loaded1 && loaded2
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), Load(k2)/(v2, ok2): k1 != k2 || loaded1

//ecl:type github.com/commutego/commute/testdata/refuted.Keyed
//ecl:observer Keys()/(list), Each(f)
//ecl:callback Each(f)
//ecl:commute Put(k1), Put(k2): true
//ecl:commute Put(k1), Keys()/(list2): false
//ecl:commute Put(k1), Each(f2): false

//ecl:type github.com/commutego/commute/testdata/refuted.Stack
//ecl:commute Push(x1), Push(x2): false
//ecl:commute Push(x1), Pop()/(x2, ok2): false
//ecl:commute Pop()/(x1, ok1), Pop()/(x2, ok2): !ok1 && !ok2
//ecl:also Push(x1), Push(x2): x1 == x2

//ecl:type github.com/commutego/commute/testdata/refuted.Queue
//ecl:observer Len()/(n)
//ecl:commute Push(x1), Push(x2): false
//ecl:commute Push(x1), Pop()/(x2, ok2): false
//ecl:commute Pop()/(x1, ok1), Pop()/(x2, ok2): !ok1 && !ok2
//ecl:commute Pop()/(x1, ok1), Len()/(n2): !ok1
//ecl:commute Push(x1), Len()/(n2): false

//ecl:type github.com/commutego/commute/testdata/refuted.Must
//ecl:default false
//ecl:mutator Push(x), Pop()/(x)

//ecl:type github.com/commutego/commute/testdata/refuted.LRU
//ecl:default false
//ecl:mutator Get(k)/(v), Put(k, v)

//ecl:type github.com/commutego/commute/testdata/refuted.Log
//ecl:observer All()/(xs)
//ecl:commute Append(xs1), Append(xs2): len(xs1) == 0 || len(xs2) == 0
//ecl:commute Append(xs1), All()/(xs2): len(xs1) == 0

//ecl:type github.com/commutego/commute/testdata/refuted.Counter
//ecl:observer Load()/(n)
//ecl:commute Add(n1), Add(n2): true
//ecl:commute Add(n1), Load()/(n2): n1 == 0

//ecl:type github.com/commutego/commute/testdata/refuted.Scaled
//ecl:observer Value()/(x)
//ecl:default false
//ecl:also Add(n1)/sum1, Add(n2)/sum2: unused(sum1) && unused(sum2)
//ecl:also Times(n1), Times(n2): n1 == n2

//ecl:type github.com/commutego/commute/testdata/refuted.MaxRegister
//ecl:observer Max()/(x)
//ecl:commute Set(x1)/(old1), Set(x2)/(old2): x1 <= old1 && x2 <= old2
//ecl:commute Set(x1)/(old1), Max()/(x2): x1 <= old1

//ecl:type github.com/commutego/commute/testdata/refuted.Register
//ecl:observer Load()/(x)
//ecl:commute CompareAndSwap(old1, new1)/(ok1), CompareAndSwap(old2, new2)/(ok2): (!ok1 || old1 == new1) && (!ok2 || old2 == new2)
//ecl:commute CompareAndSwap(old1, new1)/(ok1), Load()/(x2): !ok1 || old1 == new1

//ecl:type github.com/commutego/commute/testdata/refuted.Account
//ecl:observer Balance()/(n)
//ecl:commute Deposit(n1), Deposit(n2): true
//ecl:commute Deposit(n1), Withdraw(n2)/(err2): n1 == 0
//ecl:commute Withdraw(n1)/(err1), Withdraw(n2)/(err2): err1 != nil && err2 != nil
//ecl:commute Deposit(n1), Balance()/(n2): n1 == 0
//ecl:commute Withdraw(n1)/(err1), Balance()/(n2): err1 != nil

//ecl:type github.com/commutego/commute/testdata/refuted.Semaphore
//ecl:new NewSemaphore(2)
//ecl:sample weight: 1, weight(2)
//ecl:commute TryAcquire(n1)/(ok1), TryAcquire(n2)/(ok2): ok1 && ok2
//ecl:commute TryAcquire(n1)/(ok1), Release(): false
//ecl:commute Release(), Release(): true

//ecl:type github.com/commutego/commute/testdata/refuted.Config
//ecl:observer Get()/(o)
//ecl:commute Set(o1), Set(o2): false
//ecl:commute Set(o1), Get()/(o2): false
//ecl:also Set(o1), Set(o2): o1 == o2
