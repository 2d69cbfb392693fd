// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/binary"
	"errors"
)

// rowsPerPage is how many consecutive keys share a page.
const rowsPerPage = 32

// A page has the rows of consecutive keys. It doesn't change once others can see it.
type page struct {
	present uint32 // a bit for each row that is there
	rows    [rowsPerPage]string
}

var noRows page

func (p *page) has(slot uint) bool { return p.present>>slot&1 == 1 }

// with is a copy in which a row is set.
func (p *page) with(slot uint, value string) *page {
	next := *p
	next.present |= 1 << slot
	next.rows[slot] = value
	return &next
}

// without is a copy in which a row is missing.
func (p *page) without(slot uint) *page {
	next := *p
	next.present &^= 1 << slot
	next.rows[slot] = ""
	return &next
}

// encode appends the page: which rows there are, and each with its length.
func (p *page) encode(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, p.present)
	for i, row := range p.rows {
		if p.has(uint(i)) {
			b = binary.AppendUvarint(b, uint64(len(row)))
			b = append(b, row...)
		}
	}
	return b
}

var errCorrupt = errors.New("mvstore: a page that can't be read")

// decodePage reads what encode has written.
func decodePage(b []byte) (*page, error) {
	if len(b) < 4 {
		return nil, errCorrupt
	}
	p := &page{present: binary.LittleEndian.Uint32(b)}
	b = b[4:]
	for i := range p.rows {
		if !p.has(uint(i)) {
			continue
		}
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, errCorrupt
		}
		p.rows[i] = string(b[size : size+int(n)])
		b = b[size+int(n):]
	}
	if len(b) > 0 {
		return nil, errCorrupt
	}
	return p, nil
}
