module github.com/commutego/commute/testdata/papers

go 1.26.0
