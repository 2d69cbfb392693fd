module example.com/rates.v1

go 1.20
