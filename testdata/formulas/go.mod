module github.com/commutego/commute/testdata/formulas

go 1.26
