module github.com/commutego/commute/testdata/expected

go 1.26.0

require github.com/commutego/commute v0.0.0

replace github.com/commutego/commute => ../..
