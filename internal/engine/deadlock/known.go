// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

// A known is a pair of locks that a goroutine was seen to take, while it held others.
type known struct {
	from, to uintptr
	held     uint64 // a hash of all that was held
	released uint32 // how much the goroutine had released
	times    uint32 // 0 if the pair is of no interest
}

const (
	nKnown = 64 // pairs of a goroutine, at most
	ways   = 4  // places that a pair can be at
)

// knownPairs are pairs, which are in rows by a hash: few pairs that a goroutine uses in turns are
// all in the table, whatever their addresses.
type knownPairs struct {
	rows [nKnown / ways][ways]known
	next [nKnown / ways]uint8 // the place of the one that makes room
}

// find is the pair, with what was held, nil if it is not known. An empty place has no lock.
func (p *knownPairs) find(from, to uintptr, held uint64) *known {
	row := &p.rows[mix(from, to)%uint64(len(p.rows))]
	for i := range row {
		if k := &row[i]; k.to == to && k.from == from && k.held == held {
			return k
		}
	}
	return nil
}

// add adds a pair that is not known, in place of the one that came first of its row.
func (p *knownPairs) add(k known) *known {
	r := mix(k.from, k.to) % uint64(len(p.rows))
	at := &p.rows[r][p.next[r]%ways]
	p.next[r]++
	*at = k
	return at
}
