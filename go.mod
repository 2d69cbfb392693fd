module github.com/commutego/commute

go 1.26.0

require (
	github.com/golangci/plugin-module-register v0.1.2
	github.com/klauspost/compress v1.20.3
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261
	github.com/rogpeppe/go-internal v1.16.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	golang.org/x/arch v0.33.0
	golang.org/x/mod v0.42.0
	golang.org/x/tools v0.52.0
	pgregory.net/rapid v1.3.0
)

require (
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)
