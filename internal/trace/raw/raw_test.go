// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// random is a file of some chunks of every kind of record.
func random(t testing.TB, seed uint64) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var file bytes.Buffer
	w, err := NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	var events, definitions []spec.Kind
	for _, k := range spec.Kinds() {
		if k < spec.FirstDefinition {
			events = append(events, k)
		} else {
			definitions = append(definitions, k)
		}
	}
	first := uint64(0)
	for range r.IntN(5) {
		var b Builder
		kinds := events
		if r.IntN(3) == 0 {
			kinds = definitions
			b.Reset(spec.Definitions, byte(r.IntN(3)), 0)
		} else {
			b.Reset(spec.Events, byte(r.IntN(3)), first)
		}
		for range r.IntN(100) {
			if err := b.Add(randomRecord(r, kinds[r.IntN(len(kinds))])); err != nil {
				t.Fatal(err)
			}
		}
		first = b.Next()
		b.Low = first
		if err := w.Write(&b.Chunk); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

func randomRecord(r *rand.Rand, k spec.Kind) *Record {
	rec := &Record{Kind: k}
	if spec.InfoOf(k).IsStep() {
		rec.Pos = r.Uint32() >> (r.IntN(32))
	}
	for i, arg := range spec.InfoOf(k).Args {
		switch arg.Type {
		case spec.Text:
			b := make([]byte, r.IntN(10))
			for j := range b {
				b[j] = byte(r.Uint32())
			}
			rec.Texts[i] = string(b)
		default:
			rec.Args[i] = r.Uint64() >> (r.IntN(64))
		}
	}
	return rec
}

// TestTextBothWays wants the text of a binary trace to make the same file.
func TestTextBothWays(t *testing.T) {
	for seed := range uint64(200) {
		file := random(t, seed)
		text := printed(t, file)
		var again bytes.Buffer
		if err := Parse(&again, strings.NewReader(text)); err != nil {
			t.Fatalf("trace %d: %v\n%s", seed, err, text)
		}
		if !bytes.Equal(again.Bytes(), file) {
			t.Fatalf("trace %d is another after its text\n%s", seed, text)
		}
	}
}

func printed(t *testing.T, file []byte) string {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := Print(&text, r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestCut wants each beginning of a file to be read up to its last whole chunk, and beyond that
// the steps of one that is not compressed.
func TestCut(t *testing.T) {
	file := random(t, 7)
	ends := []int{len(spec.Header)}
	var whole []Chunk
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for {
		c, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(c.Offset)+c.Stored)
		whole = append(whole, *c)
		whole[len(whole)-1].Payload = bytes.Clone(c.Payload)
	}
	if len(ends) < 3 || r.Cut() != 0 {
		t.Fatalf("chunks end at %v, %d bytes are left", ends, r.Cut())
	}
	parts := 0
	for n := len(spec.Header); n <= len(file); n++ {
		want := 0
		for want+1 < len(ends) && ends[want+1] <= n {
			want++
		}
		for _, zeros := range []int{0, 100} { // as some file systems leave a file
			r, err := NewReader(bytes.NewReader(append(file[:n:n],
				make([]byte, zeros*min(1, n-ends[want]))...)))
			if err != nil {
				t.Fatal(err)
			}
			chunks, begun := 0, 0
			for {
				c, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					if zeros > 0 {
						break // it can't be told from damage
					}
					t.Fatalf("%d bytes: %v", n, err)
				}
				if zeros == 0 && chunks == want {
					parts++
					begun = c.Stored
					wantPart(t, &whole[chunks], c, file[:n])
					continue
				}
				chunks++
			}
			if zeros == 0 && (chunks != want || r.Cut() != int64(n-ends[want]-begun)) {
				t.Fatalf("%d bytes: %d chunks and %d bytes, want %d and %d", n, chunks, r.Cut(),
					want, n-ends[want]-begun)
			}
			x, err := Scan(bytes.NewReader(file[:n]), int64(n))
			if err != nil || len(x.Chunks) != want || x.Cut != int64(n-ends[want]) {
				t.Fatalf("%d bytes: scan finds %d chunks and %d bytes, %v", n, len(x.Chunks), x.Cut,
					err)
			}
		}
	}
	if parts == 0 {
		t.Error("no chunk was read in part")
	}
}

// wantPart wants a chunk that is not whole to have all steps that the bytes up to the cut have, but
// for the last one, and its low to be the number of that.
func wantPart(t *testing.T, whole, part *Chunk, upTo []byte) {
	t.Helper()
	if whole.Codec != spec.Plain || whole.Kind != spec.Events {
		t.Fatalf("a chunk by codec %d of kind %d was read in part", whole.Codec, whole.Kind)
	}
	there := len(upTo) - int(whole.Offset) - spec.ChunkSize
	var steps []uint64 // the numbers of those that are whole
	records, x := whole.Records(), Record{}
	for records.Next(&x) == nil && records.at <= there {
		if spec.InfoOf(x.Kind).IsStep() {
			steps = append(steps, x.Seq)
		}
	}
	n := len(steps) - 1
	if int(part.Steps) != n || part.Low != min(whole.Low, steps[n]) {
		t.Fatalf("%d steps below %d, want %d below %d", part.Steps, part.Low, n, steps[n])
	}
	records = part.Records()
	for err := error(nil); err != io.EOF; err = records.Next(&x) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCutBackwards wants nothing of a chunk whose numbers go back: what is missing may come first.
func TestCutBackwards(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	var b Builder
	b.Reset(spec.Events, spec.Plain, 10)
	for i, k := range []spec.Kind{event.TestEnd, event.Seq, event.TestEnd, event.TestEnd} {
		r := Record{Kind: k}
		if i == 1 {
			r.Args[0] = ^uint64(4) // five back
		}
		if err := b.Add(&r); err != nil {
			t.Fatal(err)
		}
	}
	b.Low = 20
	if err := w.Write(&b.Chunk); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(file.Bytes()[:file.Len()-1]))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := r.Next(); err != io.EOF || r.Cut() == 0 {
		t.Errorf("%v, %v, %d bytes are left", c, err, r.Cut())
	}
}

// TestDamage wants a change of any one byte to be noticed.
func TestDamage(t *testing.T) {
	file := random(t, 7)
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 1 << (i % 8)
		r, err := NewReader(bytes.NewReader(bad))
		for err == nil {
			_, err = r.Next()
		}
		if err == io.EOF && r.Cut() == 0 {
			t.Errorf("byte %d was changed, and the file was read to its end", i)
		}
	}
}

func FuzzReader(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(random(f, seed))
		f.Add(ringOf(f, seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		var text bytes.Buffer
		if Print(&text, r) != nil {
			return
		}
		var again, text2 bytes.Buffer
		if err := Parse(&again, bytes.NewReader(text.Bytes())); err != nil {
			t.Fatalf("%v\n%s", err, text.Bytes())
		}
		if r, err = NewReader(&again); err == nil {
			err = Print(&text2, r)
		}
		if err != nil || !bytes.Equal(text.Bytes(), text2.Bytes()) {
			t.Fatalf("%v: the text is\n%s\nand then\n%s", err, text.Bytes(), text2.Bytes())
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add("commute trace 1\nEvents codec=s2 first=0 low=2 ordered=true\nGo goroutine=1\nRead " +
		"var=3 pos=4\n# so\n\nFresh address=0x10 size=8 pos=5\n")
	f.Add("commute trace 1\nDefinitions codec=zstd\nMeta key=\"a\" value=\"b c\"\nPoint id=1 " +
		"type=\"T\" name=\"p\"")
	f.Add("commute trace 2\nEvents codec=s2 first=7 low=9 ordered=false from=8 past=7\nGo " +
		"goroutine=1\nState hidden=0 open=1 section=0 pos=4\nEnd pos=0\n")
	f.Fuzz(func(t *testing.T, text string) {
		var file bytes.Buffer
		if Parse(&file, strings.NewReader(text)) != nil {
			return
		}
		r, err := NewReader(&file)
		if err == nil {
			err = Print(io.Discard, r)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestTextErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `1:1: "", want "commute trace 1"`},
		{"commute trace 3\n", `1:1: "commute trace 3", want "commute trace 1"`},
		{"\nRead var=1 pos=2\n", `2:1: "Read var=1 pos=2", want "commute trace 1"`},
		{"commute trace 1\nRead var=1 pos=2\n",
			`2:1: Read is outside of a chunk of its kind (begin one with a line ` +
				`Events codec=s2 first=0 low=0 ordered=true)`},
		{"commute trace 1\nEvents codec=s2 first=0 low=0 ordered=true\nTest id=1 name=\"x\"\n",
			`3:1: Test is outside of a chunk of its kind (begin one with a line ` +
				`Definitions codec=s2)`},
		{"commute trace 2\nEvents codec=s2 first=0 low=0 ordered=true\n", `2:43: "", want from=`},
		{"commute trace 2\nRead var=1 pos=2\n",
			`2:1: Read is outside of a chunk of its kind (begin one with a line ` +
				`Events codec=s2 first=0 low=0 ordered=true from=0 past=0)`},
		{"commute trace 1\nReed var=1\n",
			`2:1: unknown record "Reed" (records are named in package internal/trace/spec)`},
		{"commute trace 1\nEvents codec=lz first=0 low=0 ordered=true\n",
			`2:8: unknown codec "lz" (want plain, s2 or zstd)`},
		{"commute trace 1\nEvents codec=s2 first=0 low=0 ordered=true\nRead x=1 pos=2\n",
			`3:6: "x=1", want var=`},
		{"commute trace 1\nEvents codec=s2 first=0 low=0 ordered=true\nRead var=z pos=2\n",
			`3:10: "z", want a number of 64 bits`},
		{"commute trace 1\nEvents codec=s2 first=0 low=0 ordered=true\nRead var=1\n",
			`3:11: "", want pos=`},
		{"commute trace 1\nEvents codec=s2 first=0 low=0 ordered=true\nRead var=1 pos=5000000000\n",
			`3:12: position 5000000000, want one of 32 bits`},
		{"commute trace 1\nEvents codec=s2 first=0 low=0 ordered=true\nEnd pos=1 x\n",
			`3:11: "x", want the end of the line`},
		{"commute trace 1\nDefinitions codec=s2\nTest id=1 name=x\n",
			`3:16: "x", want a quoted string`},
		{"commute trace 1\nDefinitions codec=s2\nTest id=1 name=\"x\"y\n",
			`3:19: "y" after a string, want a space`},
	} {
		err := Parse(io.Discard, strings.NewReader(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}
