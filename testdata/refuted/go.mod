module github.com/commutego/commute/testdata/refuted

go 1.26
