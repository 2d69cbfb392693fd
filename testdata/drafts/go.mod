module github.com/commutego/commute/testdata/drafts

go 1.26.0
