module github.com/commutego/commute/testdata/deadlocks

go 1.26
