module github.com/commutego/commute/testdata/atomics

go 1.26
