module github.com/commutego/commute/testdata/transactions

go 1.26.0
