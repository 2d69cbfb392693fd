// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

// Owners says of items which thread accesses them, and numbers those that several access. It has
// pages for the items that there are: a piece of a trace has few of the trace's.
type owners struct {
	pages [2][]*[ownersPage]uint32 // by the lowest bit of an item, and the others
	items []uint32                 // by number: those that several threads access
}

const (
	ownersPage = 256
	several    = 1 << 31 // of an owner that is none: the others are 1 and a thread; here a number
)

// own notes that a thread accesses an item.
func (o *owners) own(item, thread uint32) {
	pages := &o.pages[item&1]
	k := int(item >> 1 / ownersPage)
	if k >= len(*pages) {
		*pages = append(*pages, make([]*[ownersPage]uint32, k+1-len(*pages))...)
	}
	page := (*pages)[k]
	if page == nil {
		page = new([ownersPage]uint32)
		(*pages)[k] = page
	}
	switch is := &page[item>>1%ownersPage]; {
	case *is == 0:
		*is = thread + 1
	case *is < several && *is != thread+1:
		*is = several | uint32(len(o.items))
		o.items = append(o.items, item)
	}
}

// of is the owner of an item: 0 for none, 1 and a thread, or several and a number.
func (o *owners) of(item uint32) uint32 {
	pages := o.pages[item&1]
	if k := int(item >> 1 / ownersPage); k < len(pages) && pages[k] != nil {
		return pages[k][item>>1%ownersPage]
	}
	return 0
}

// number is that of an item that several threads access.
func (o *owners) number(item uint32) (n uint32, shared bool) {
	is := o.of(item)
	return is &^ several, is >= several
}

// forget has an item be accessed by nobody.
func (o *owners) forget(item uint32) {
	if o.of(item) != 0 {
		o.pages[item&1][item>>1/ownersPage][item>>1%ownersPage] = 0
	}
}
