module github.com/commutego/commute/testdata/levels

go 1.26.0
