// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// An object is a Go object file, in an archive or alone. The format is that of cmd/internal/goobj
// in Go's sources.
type object struct {
	data  []byte // from the magic on
	start int    // where that is in the file
	block [blocks + 1]uint32
}

var order = binary.LittleEndian

// magic begins an object in the format that is understood here.
const magic = "\x00go120ld"

// The blocks of an object that are looked at, and the number of all.
const (
	blockSymbols    = 3 // those that are defined, up to
	blockReferences = 7
	blockNonPackage = 6
	blockRefFlags   = 8
	blockRelocIndex = 11
	blockDataIndex  = 13
	blockRelocs     = 14
	blockData       = 16
	blocks          = 18
)

// Sizes of records, in bytes.
const (
	headerSize = len(magic) + 8 + 4 + 4*(blocks+1)
	symbolSize = 21
	relocSize  = 23
)

// Kinds of symbols and of relocations, and numbers that stand for packages.
const (
	kindText       = 1
	kindTextFIPS   = 2
	relocCall      = 7
	packageNone    = 1<<31 - 1
	packageBuiltin = 1<<31 - 1 - 3
)

var errObject = errors.New("not an object file of a known format")

const (
	archiveMagic = "!<arch>\n"
	memberHeader = 60 // the size of the header of an archive's member
)

// findObject finds the object that the compiler has written in a file, which is an archive with
// -pack, as the go command has it.
func findObject(file []byte) (*object, error) {
	if !bytes.HasPrefix(file, []byte(archiveMagic)) {
		return newObject(file, 0)
	}
	for at := len(archiveMagic); len(file)-at >= memberHeader; {
		header := file[at : at+memberHeader]
		at += memberHeader
		size, err := strconv.ParseUint(strings.TrimSpace(string(header[48:58])), 10, 40)
		if err != nil || string(header[58:]) != "`\n" || size > uint64(len(file)-at) {
			return nil, errObject
		}
		end := at + int(size)
		if strings.TrimSpace(string(header[:16])) == "_go_.o" {
			return newObject(file[:end:end], at)
		}
		at = end + int(size&1)
	}
	return nil, errObject
}

// newObject reads the head of an object at a place of a file. That is one line of text, more lines,
// one with an exclamation mark, and then the header of the binary part.
func newObject(file []byte, at int) (*object, error) {
	line, _, _ := bytes.Cut(file[at:min(len(file), at+512)], []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) < 5 || words[0] != "go" || words[1] != "object" || !Knows(words[3]) {
		return nil, errObject
	}
	end := []byte("\n!\n")
	head := bytes.Index(file[at:], end)
	if head < 0 {
		return nil, errObject
	}
	o := &object{start: at + head + len(end)}
	o.data = file[o.start:]
	if len(o.data) < headerSize || string(o.data[:len(magic)]) != magic {
		return nil, errObject
	}
	last := uint32(headerSize)
	for i := range o.block {
		o.block[i] = order.Uint32(o.data[len(magic)+12+4*i:])
		if o.block[i] < last || uint64(o.block[i]) > uint64(len(o.data)) {
			return nil, errObject
		}
		last = o.block[i]
	}
	return o, nil
}

// part is a block of the object.
func (o *object) part(block int) []byte { return o.data[o.block[block]:o.block[block+1]] }

// A reloc is a place of a function where the linker puts the address of a symbol.
type reloc struct {
	at, size int
	kind     uint16
	add      int64
	symbol
}

// A symbol is one by its number in a package that has a number.
type symbol struct{ pkg, index uint32 }

// A function is the machine code of one, and its relocations in the order of their places.
type function struct {
	name   string
	code   []byte
	start  int    // where the code is in the file
	record []byte // of the relocations, as it is in the object
	relocs []reloc
}

// functions lists the functions that are defined in the object.
func (o *object) functions() (list []function, err error) {
	symbols := o.data[o.block[blockSymbols]:o.block[blockReferences]]
	n := len(symbols) / symbolSize
	relocIndex, dataIndex := o.part(blockRelocIndex), o.part(blockDataIndex)
	if len(symbols)%symbolSize != 0 || len(relocIndex) != 4*(n+1) || len(dataIndex) != 4*(n+1) {
		return nil, errObject
	}
	relocs, data := o.part(blockRelocs), o.part(blockData)
	for i := range n {
		if kind := symbols[i*symbolSize+10]; kind != kindText && kind != kindTextFIPS {
			continue
		}
		record, _, ok := between(relocs, relocIndex[4*i:], relocSize)
		code, at, known := between(data, dataIndex[4*i:], 1)
		if !ok || !known {
			return nil, errObject
		}
		at += o.start + int(o.block[blockData])
		size, name := uint64(order.Uint32(symbols[i*symbolSize:])), uint64(order.Uint32(
			symbols[i*symbolSize+4:]))
		if name+size > uint64(len(o.data)) {
			return nil, errObject
		}
		list = append(list, function{name: string(o.data[name : name+size]), code: code, start: at,
			record: record})
	}
	return list, nil
}

// between is what lies in data between two numbers of records of a size, and where it begins.
func between(data, index []byte, size uint64) (part []byte, at int, ok bool) {
	from, to := uint64(order.Uint32(index))*size, uint64(order.Uint32(index[4:]))*size
	if from > to || to > uint64(len(data)) {
		return nil, 0, false
	}
	return data[from:to:to], int(from), true
}

// readRelocs reads the relocations of a function.
func (f *function) readRelocs() bool {
	f.relocs = make([]reloc, 0, len(f.record)/relocSize)
	for r := f.record; len(r) > 0; r = r[relocSize:] {
		next := reloc{
			at: int(int32(order.Uint32(r))), size: int(r[4]), kind: order.Uint16(r[5:]),
			add: int64(order.Uint64(r[7:])), symbol: symbolAt(r[15:]),
		}
		if next.at < 0 || next.at+next.size > len(f.code) {
			return false
		}
		f.relocs = append(f.relocs, next)
	}
	slices.SortStableFunc(f.relocs, func(a, b reloc) int { return a.at - b.at })
	return true
}

// hooks counts the calls of hooks that announce accesses.
func (f *function) hooks(callees map[symbol]callee) (n int) {
	for r := f.record; len(r) > 0; r = r[relocSize:] {
		if order.Uint16(r[5:]) == relocCall && callees[symbolAt(r[15:])].isHook() {
			n++
		}
	}
	return n
}

func symbolAt(b []byte) symbol { return symbol{order.Uint32(b), order.Uint32(b[4:])} }
