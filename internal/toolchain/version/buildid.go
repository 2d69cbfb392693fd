// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package version

import (
	"bytes"
	"debug/elf"
	"io"
	"regexp"
)

// wholeID is a build ID as the go command makes it: four hashes, the first of all that the program
// is made of. Other tools give all their programs the same one, or none.
var wholeID = regexp.MustCompile(`^[\w-]{20}/[\w-]{20}/[\w-]{20}/[\w-]{20}$`)

// buildID is that of a program, "" if there is none, or another tool's. To read it takes a
// thousandth of the time that it takes to hash the program.
func buildID(program io.ReaderAt) string {
	var id []byte
	if f, err := elf.NewFile(program); err == nil {
		id = noteID(f)
	} else {
		id = textID(program)
	}
	if !wholeID.Match(id) {
		return ""
	}
	return string(id)
}

// noteID is what the linker writes into a note: the lengths of the name and of the ID, the note's
// kind, the name "Go" with two zeros, and the ID.
func noteID(f *elf.File) []byte {
	section := f.Section(".note.go.buildid")
	if section == nil {
		return nil
	}
	note, err := section.Data()
	const name, head = "Go\x00\x00", 16
	if err != nil || len(note) < head || string(note[12:head]) != name {
		return nil
	}
	length := f.ByteOrder.Uint32(note[4:8])
	if uint64(length) > uint64(len(note)-head) {
		return nil
	}
	return note[head : head+length]
}

// textID is what the linker writes before the code of programs that have no notes.
func textID(program io.ReaderAt) []byte {
	start := make([]byte, 1<<16)
	n, _ := program.ReadAt(start, 0)
	_, id, found := bytes.Cut(start[:n], []byte("\xff Go build ID: \""))
	if !found {
		return nil
	}
	id, _, _ = bytes.Cut(id, []byte("\"\n \xff"))
	return id
}
