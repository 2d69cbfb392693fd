// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/trace/tracegen"
	"github.com/commutego/commute/report"
)

// failing has attempts panic as plan says; it gets the file, and how often it was asked of that.
func failing(t *testing.T, plan func(file string, n int) bool) {
	t.Helper()
	var mu sync.Mutex
	asked := make(map[string]int)
	old := during
	during = func(file string) {
		mu.Lock()
		n := asked[file]
		asked[file]++
		mu.Unlock()
		if plan(file, n) {
			panic("the test wants it")
		}
	}
	t.Cleanup(func() { during = old })
}

// TestRetry has each attempt fail in turn: before the file is opened, and when all was found in it.
// Each file gets through in the last of its attempts, and the output is what it is without that.
func TestRetry(t *testing.T) {
	dir := generate(t, 20)
	want := through(t, Options{All: true}, dir+"/*")
	failing(t, func(_ string, n int) bool { return n == 0 || n == 2 }) // then 3 and 4
	if got := through(t, Options{All: true}, dir+"/*"); got.text != want.text {
		t.Errorf("%v\nwant\n%v", got.Summary, want.Summary)
	}
	if want.Findings < 5 || want.Failed > 0 {
		t.Errorf("%v", want.Summary)
	}
}

// TestGivenUp has all attempts of one file fail. The others are done.
func TestGivenUp(t *testing.T) {
	dir := generate(t, 20)
	bad := filepath.Join(dir, "bad.std")
	tr := tracegen.Random(1)
	write(t, filepath.Join(dir, "bad.trace"), &tr)
	os.Rename(filepath.Join(dir, "bad.trace"), bad)
	failing(t, func(file string, n int) bool { return file == bad })
	got := through(t, Options{}, dir+"/*")
	want := analyzed(t, others(t, dir, bad)...)
	same(t, got, append(want, &report.Trace{
		File: bad, Error: bad + ": panic: the test wants it",
	}))
}

// TestAtOnce has files analyzed at once: the first waits for a second.
func TestAtOnce(t *testing.T) {
	if cap(slots) < 2 {
		t.Skip("there is one processor")
	}
	dir := generate(t, 20)
	var asked atomic.Int64
	second := make(chan struct{})
	failing(t, func(string, int) bool {
		if asked.Add(1) == 2 {
			close(second)
		}
		<-second
		return false
	})
	if got := through(t, Options{}, dir+"/*"); got.Traces != 20 || got.Failed != 0 {
		t.Errorf("%v", got.Summary)
	}
}

// others are the files of a folder but one.
func others(t *testing.T, dir, but string) []string {
	t.Helper()
	names, err := filepath.Glob(dir + "/*")
	if err != nil || !slices.Contains(names, but) {
		t.Fatalf("%s is not in %v, %v", but, names, err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == but })
}

// TestCorrupt has files that are no traces, or that end too soon, among others. Each is an error
// with its name, once, however many patterns match it, and the others are done.
func TestCorrupt(t *testing.T) {
	dir := generate(t, 20)
	for name, text := range map[string]string{
		"a.std":     "T1|acq(L)|1\nT2|acq(L)|2\n", // what was found before stays
		"empty":     "",
		"half.gz":   "\x1f\x8b\x08\x00",
		"notes.std": "T1|begin|1\nnot a line\n",
		"z.trace":   "commute trace 99\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing*")
	got := through(t, Options{}, dir+"/*", dir+"/*.std", missing, filepath.Join(dir, "z.trace"))
	files := others(t, dir, filepath.Join(dir, "folder"))
	want := append(analyzed(t, files...), &report.Trace{
		File: missing, Error: missing + ": no such file or directory",
	}, &report.Trace{
		File:  filepath.Join(dir, "folder"),
		Error: filepath.Join(dir, "folder") + ": is a directory",
	})
	// Of these, commute analyze prints no object.
	for _, x := range []string{"empty", "half.gz", "z.trace"} {
		at := slices.IndexFunc(got.lines, func(l *Line) bool { return filepath.Base(l.File) == x })
		if at < 0 || !strings.HasPrefix(got.lines[at].Error, filepath.Join(dir, x)+": ") {
			t.Fatalf("no error of %s in\n%s", x, got.text)
		}
		want = append(want, &report.Trace{File: filepath.Join(dir, x), Error: got.lines[at].Error})
	}
	same(t, got, want)
	if got.Failed != 7 {
		t.Errorf("%v", got.Summary)
	}
}

// A flaky is a file system whose files break off in the first attempt to read them.
type flaky struct{ filesystem.Interface }

var (
	flakyMu   sync.Mutex
	flakyOpen = make(map[string]int)
)

const scheme = "flaky://"

func init() {
	filesystem.Register("flaky", func(ctx context.Context) filesystem.Interface {
		return flaky{local.New(ctx)}
	})
}

func (fs flaky) List(ctx context.Context, glob string) (list []string, err error) {
	names, err := fs.Interface.List(ctx, strings.TrimPrefix(glob, scheme))
	for _, name := range names {
		list = append(list, scheme+name)
	}
	return list, err
}

func (fs flaky) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	flakyMu.Lock()
	defer flakyMu.Unlock()
	flakyOpen[name]++
	f, err := fs.Interface.OpenRead(ctx, strings.TrimPrefix(name, scheme))
	switch {
	case err != nil || flakyOpen[name] == 3:
		return f, err
	case flakyOpen[name] == 1:
		return nil, errors.New("no connection")
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(f, 100), broken{}), f}, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection lost") }

// TestFileSystem has a file system fail when a file is opened, and then when it is read.
func TestFileSystem(t *testing.T) {
	dir := generate(t, 20)
	want := through(t, Options{All: true}, dir+"/*")
	got := through(t, Options{All: true}, scheme+dir+"/*")
	if text := strings.ReplaceAll(got.text, scheme, ""); text != want.text {
		t.Errorf("%v\nwant\n%v", got.Summary, want.Summary)
	}
	for name, n := range flakyOpen {
		if n != attempts {
			t.Errorf("%s was opened %d times", name, n)
		}
	}
}

// TestFailed has a pipeline fail as a whole: its output can't be written. That is an error, and no
// summary.
func TestFailed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(out, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := tryThrough(Options{}, filepath.Join(out, "findings"), recorded...); err == nil {
		t.Error("no error")
	}
	half := []byte(`{"version":1,"file":"x","error":"x"}` + "\n")
	if err := os.WriteFile(out, half, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	_, err := Read(ctx, out, func(*Line, []byte) error { return nil })
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("what isn't whole: %v", err)
	}
}

// TestOptions wants what a worker gets to be what it goes by; a check's panic is not its end.
func TestOptions(t *testing.T) {
	o, err := (&Options{Checks: []string{"hb"}, Level: "races"}).offline()
	if err != nil || !o.Guarded || len(o.Checks) != 1 || o.Level != offline.Levels["races"] {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestMerge merges findings in random orders, as a tree of any shape, with accumulators that go
// from one machine to another. The result is that of one by one in order.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fn := new(mergeFn)
	for range 300 {
		var list [][]byte
		for i := range 1 + r.IntN(MaxIn+50) {
			f := &report.Finding{Kind: report.DataRace, Evidence: report.Evidence(pick(r,
				report.Observed, report.Race, report.Predicted, report.Potential)),
				Where: pick(r, "a", "b"), At: report.Event{Number: r.Uint64N(3)}}
			if r.IntN(2) == 0 {
				f.Witness = &report.Witness{Switches: r.IntN(3)}
			}
			list = append(list, encode(instance{string(rune('a' + i)), f}))
		}
		want := string(fn.ExtractOutput(tree(t, r, list, 1)))
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if got := string(fn.ExtractOutput(tree(t, r, list, 3))); got != want {
			t.Fatalf("%s\nwant\n%s", got, want)
		}
	}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// tree merges a list that is split into as many as n parts, and those again.
func tree(t *testing.T, r *rand.Rand, list [][]byte, n int) merged {
	t.Helper()
	fn := new(mergeFn)
	m := fn.CreateAccumulator()
	if n == 1 || len(list) < n {
		for _, data := range list {
			var err error
			if m, err = fn.AddInput(m, data); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	for part := range slices.Chunk(list, (len(list)+n-1)/n) {
		x, err := decodeMerged(encodeMerged(tree(t, r, part, 1+r.IntN(n))))
		if err != nil {
			t.Fatal(err)
		}
		m = fn.MergeAccumulators(m, x)
	}
	return m
}
