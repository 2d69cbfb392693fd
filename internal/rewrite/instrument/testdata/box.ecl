//ecl:type box.Map
//ecl:observer Load(key)/(value, ok), Range(f)
//ecl:mutator Store(key, value)/(previous, loaded), Add(key, by)/(n, old)
//ecl:callback Range(f)
//ecl:shadow Store(key, value)/(previous, loaded): Swap(key, value)
//ecl:shadow Add(key, by)/(n; old): add(key, by)
//ecl:commute Load(k1)/(v1, ok1), Store(k2, v2)/(p2, l2): k1 != k2 || l2 && v2 == p2
//ecl:commute Store(k1, v1)/(p1, l1), Store(k2, v2)/(p2, l2): k1 != k2 || l1 && v1 == p1 && l2 && v2 == p2
//ecl:commute Range(f1), Store(k2, v2)/(p2, l2): l2 && v2 == p2
//ecl:commute Add(k1, b1)/(n1, o1), Add(k2, b2)/(n2, o2): k1 != k2 || n1 == o1 && n2 == o2
//ecl:default false
