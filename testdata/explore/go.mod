module github.com/commutego/commute/testdata/explore

go 1.26
