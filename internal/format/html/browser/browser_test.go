// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package browser has the tests of the page of findings in a browser: Chromium, or Chrome, without
// a window. It is a module of its own, so that commute itself doesn't depend on what drives the
// browser.
package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	shots = flag.String("shots", "", "write screenshots into this `folder`")
	need  = flag.Bool("need", false, "fail if there is no browser")
)

// programs are the names of browsers that can be driven, as distributions have them.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
	"chrome"}

// program is the browser, "" if there is none.
func program() string {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// end ends the browser, if it runs.
var end = func() {}

// running starts the browser, which all tests share.
func running(path string) (context.Context, error) {
	sharedOnce.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
			chromedp.NoSandbox, chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-component-update", true))
		ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, close := chromedp.NewContext(ctx)
		end = func() {
			close()
			cancel()
		}
		shared, sharedErr = ctx, chromedp.Do(ctx)
	})
	return shared, sharedErr
}

var (
	sharedOnce sync.Once
	shared     context.Context
	sharedErr  error
)

// TestMain ends the browser after all tests.
func TestMain(m *testing.M) {
	code := m.Run()
	end()
	os.Exit(code)
}

// A browser is a tab of the one that runs, with a page.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // what the page has asked for
	errors   []string // messages of errors and warnings, and exceptions
}

// start opens a tab for a test, which is skipped if there is no browser.
func start(t *testing.T) *browser {
	t.Helper()
	path := program()
	switch {
	case path == "" && *need:
		t.Fatalf("no browser: none of %q is in PATH", programs)
	case path == "":
		t.Skipf("no browser: none of %q is in PATH", programs)
	}
	root, err := running(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(root, 2*time.Minute) // if the browser hangs
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	return b
}

// listen notes what the page asks for, and what goes wrong.
func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *cdpruntime.EventExceptionThrown:
		b.errors = append(b.errors, exception(e.ExceptionDetails))
	case *cdpruntime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		b.errors = append(b.errors, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	}
}

func exception(d *cdpruntime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Text + ": " + d.Exception.Description
	}
	return d.Text
}

// do does something in the page.
func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// call calls the browser by its protocol.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// load opens a page in a window of a size in pixels.
func (b *browser) load(url string, width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height), chromedp.Navigate(url))
}

// value is that of an expression.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// is has an expression have a value: a number, a string, a bool, or nil for what isn't looked at.
func (b *browser) is(expression string, want any) {
	b.t.Helper()
	if want == nil {
		b.do(chromedp.Evaluate[chromedp.Void]("void (" + expression + ")"))
		return
	}
	if got := value[any](b, expression); fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s is %v, want %v", expression, got, want)
	}
}

// keys presses keys, one after the other.
func (b *browser) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// quiet has the page have asked for nothing but itself, and nothing have gone wrong.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if !strings.HasSuffix(strings.TrimSuffix(r, "#"), "/page.html") {
			b.t.Errorf("the page has asked for %s", r)
		}
	}
	if len(b.requests) == 0 {
		b.t.Error("no request was noted, not that of the page either")
	}
	for _, e := range b.errors {
		b.t.Error(e)
	}
}

// shot writes a screenshot, if they are asked for.
func (b *browser) shot(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	b.write(name+".png", data)
}

func (b *browser) write(name string, data []byte) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(*shots, name), data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
