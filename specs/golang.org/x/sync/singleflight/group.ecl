# golang.org/x/sync/singleflight, v0.1.0 to v0.24.0: Group.
#
# Two calls of Do with one key exist to be raced: who comes first calls its
# function, the other may get its result. They are arbitration, reported with
# level=all only, and each comes after those that it may have its result from. What
# the function does is the program's.
#
# One after the other, a Do and a Forget of the same key have nothing to do with each
# other, since nothing is in flight any more when Do returns. So these commute, and
# a Forget during a Do is overlooked.
#
# Left out, so not watched: DoChan, whose function runs after the call, on a
# goroutine of its own. So what that function did is not known to come before the
# end of a Do that waited for it, and a race with it may be reported that is none.

//ecl:module golang.org/x/sync >=v0.1.0 <=v0.24.0
//ecl:type golang.org/x/sync/singleflight.Group

# Not exact, by shown: Do, Do

//ecl:new new(Group)
//ecl:sample string: "a", "b"

//ecl:arbiter Do(key, fn)/(v, err, shared)
//ecl:mutator Forget(key)

//ecl:callback Do(_, fn)

//ecl:commute Do(k1, _), Do(k2, _): k1 != k2
//ecl:commute Do(_, _), Forget(_): true
//ecl:commute Forget(_), Forget(_): true
