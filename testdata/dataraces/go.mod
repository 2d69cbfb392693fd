module github.com/commutego/commute/testdata/dataraces

go 1.26.0
