module github.com/commutego/commute/testdata/speed

go 1.26
