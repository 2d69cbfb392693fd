module example.com/conccover

go 1.26
