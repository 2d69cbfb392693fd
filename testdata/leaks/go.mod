module github.com/commutego/commute/testdata/leaks

go 1.26
