module github.com/commutego/commute/testdata/checkacts

go 1.26
