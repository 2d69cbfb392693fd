// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !small

// Not in a build with the tag small: net/http is half of what these tests import.

package explore

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestRightLeftServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "text")
	}))
	client := &http.Client{Transport: &http.Transport{}}
	r, err := client.Get(s.URL)
	if err != nil {
		t.Skip(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close() // the connection is kept, and the server goes on
}
