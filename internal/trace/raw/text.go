// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package raw

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/commutego/commute/internal/trace/spec"
)

// codecNames are the names of the codecs, by number.
var codecNames = []string{spec.Plain: "plain", spec.S2: "s2", spec.Zstd: "zstd"}

// Codec is the codec with a name: plain, s2 or zstd.
func Codec(name string) (codec byte, ok bool) {
	for i, s := range codecNames {
		if s == name {
			return byte(i), true
		}
	}
	return 0, false
}

// Codecs are the names of all codecs.
func Codecs() []string { return codecNames }

// CodecName is the name of a codec.
func CodecName(codec byte) string { return codecNames[codec] }

// Print writes the text form of a binary trace.
func Print(w io.Writer, r *Reader) error {
	b := bufio.NewWriter(w)
	if r.Ring() {
		b.WriteString(spec.RingHeader)
	} else {
		b.WriteString(spec.Header)
	}
	for {
		c, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = printChunk(b, c, r.Ring())
		}
		if err != nil {
			b.Flush()
			return err
		}
	}
	return b.Flush()
}

// printChunk writes a line for the chunk and one for each record.
func printChunk(b *bufio.Writer, c *Chunk, ring bool) error {
	if c.Kind == spec.Events {
		fmt.Fprintf(b, "Events codec=%s first=%d low=%d ordered=%t", codecNames[c.Codec], c.First,
			c.Low, c.Ordered)
		if ring {
			fmt.Fprintf(b, " from=%d past=%d", c.From, c.Past)
		}
	} else {
		fmt.Fprintf(b, "Definitions codec=%s", codecNames[c.Codec])
	}
	b.WriteByte('\n')
	cursor := c.Records()
	var r Record
	for {
		err := cursor.Next(&r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b.WriteString(r.String())
		b.WriteByte('\n')
	}
}

// String is the record's line of the text form.
func (r *Record) String() string {
	info := spec.InfoOf(r.Kind)
	if info == nil {
		return fmt.Sprintf("# kind %d", r.Kind)
	}
	line := []byte(info.Name)
	for i, arg := range info.Args {
		line = append(line, ' ')
		line = append(line, arg.Name...)
		line = append(line, '=')
		switch arg.Type {
		case spec.Text:
			line = strconv.AppendQuote(line, r.Texts[i])
		case spec.Signed:
			line = strconv.AppendInt(line, int64(r.Args[i]), 10)
		case spec.Hash:
			line = append(line, "0x"...)
			line = strconv.AppendUint(line, r.Args[i], 16)
		default:
			line = strconv.AppendUint(line, r.Args[i], 10)
		}
	}
	if info.IsStep() {
		line = append(line, " pos="...)
		line = strconv.AppendUint(line, uint64(r.Pos), 10)
	}
	return string(line)
}
