module github.com/commutego/commute/testdata/confirm

go 1.26
