module github.com/commutego/commute/testdata/verdicts

go 1.26
