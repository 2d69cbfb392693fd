// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !js && !wasip1 && !small

// Not in a build with the tag small: net/http is half of what these tests import.

package dataraces

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A request comes before its handler, and the handler's answer before what follows the request.
func TestNoRaceHTTP(t *testing.T) {
	c := new(cargo)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c.load()
		_, _ = io.WriteString(w, "done")
	}))
	defer server.Close()
	c.load()
	response := must(http.Get(server.URL))
	keep(must(io.ReadAll(response.Body)))
	_ = response.Body.Close()
	c.load()
}

// Handlers are goroutines of their own.
func TestRaceHTTP(t *testing.T) {
	c := new(cargo)
	var loaded, over flag
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			c.load()
			loaded.raise()
			over.await()
			return
		}
		loaded.await()
		c.unload()
		over.raise()
	}))
	defer server.Close()
	get := func(path string) func() {
		return func() { _ = must(http.Get(server.URL + path)).Body.Close() }
	}
	together(get("/first"), get("/second"))
}
