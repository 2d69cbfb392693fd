module github.com/commutego/commute/testdata/composed

go 1.26.0

require example.com/rates.v1 v1.0.0

replace example.com/rates.v1 => ./rates.v1
