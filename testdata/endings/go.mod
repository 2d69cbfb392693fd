module github.com/commutego/commute/testdata/endings

go 1.26
