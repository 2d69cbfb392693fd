module github.com/commutego/commute/testdata/explain

go 1.26.0
