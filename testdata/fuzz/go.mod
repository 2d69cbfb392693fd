module github.com/commutego/commute/testdata/fuzz

go 1.26
