module github.com/commutego/commute/testdata/annotations

go 1.26
