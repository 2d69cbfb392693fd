module github.com/commutego/commute/testdata/inferred

go 1.26.0
