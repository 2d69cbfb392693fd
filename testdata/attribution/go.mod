module github.com/commutego/commute/testdata/attribution

go 1.26
