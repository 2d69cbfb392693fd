module github.com/commutego/commute/testdata/stress

go 1.26.0
