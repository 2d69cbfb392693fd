module github.com/commutego/commute/testdata/unmarked

go 1.26
