module github.com/commutego/commute/testdata/io

go 1.26
