// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// readers are the functions of other packages that read the elements of plain slices which they
// get, or return parts of them, and do nothing else to variables.
var readers = map[string][]string{
	"bytes": {"Clone", "Compare", "Contains", "ContainsAny", "ContainsRune", "Count", "Cut",
		"CutPrefix", "CutSuffix", "Equal", "EqualFold", "HasPrefix", "HasSuffix", "Index",
		"IndexAny", "IndexByte", "IndexRune", "LastIndex", "LastIndexAny", "LastIndexByte",
		"Repeat", "ReplaceAll", "ToLower", "ToUpper", "Trim", "TrimLeft", "TrimPrefix",
		"TrimRight", "TrimSpace", "TrimSuffix"},
	"encoding/hex":  {"EncodeToString"},
	"hash/crc32":    {"ChecksumIEEE"},
	"slices":        {"Clone", "Contains", "Equal", "Index", "Max", "Min"},
	"strings":       {"Join"},
	"unicode/utf8":  {"DecodeLastRune", "DecodeRune", "FullRune", "RuneCount", "Valid"},
	"crypto/sha256": {"Sum256"},
}

// orders are the methods of byte orders of encoding/binary, and what they do.
var orders = map[string]compiled.TouchOp{
	"Uint16": compiled.ReadBacking, "Uint32": compiled.ReadBacking,
	"Uint64": compiled.ReadBacking, "PutUint16": compiled.WriteBacking,
	"PutUint32": compiled.WriteBacking, "PutUint64": compiled.WriteBacking,
}

// bufferOps says what a call of a function of another package does to the elements of the plain
// slices that it gets. It is not ok if more is done, or that is not known.
func bufferOps(common *ssa.CallCommon) (op compiled.TouchOp, ok bool) {
	fn := common.StaticCallee()
	if fn == nil || common.IsInvoke() {
		return 0, false
	}
	pkg, obj := packageOf(fn), fn.Object()
	if origin := fn.Origin(); origin != nil {
		obj = origin.Object()
	}
	if pkg == nil || obj == nil {
		return 0, false
	}
	if fn.Signature.Recv() != nil {
		if pkg.Path() == "encoding/binary" {
			op, ok = orders[obj.Name()]
		}
		return op, ok
	}
	for _, name := range readers[pkg.Path()] {
		if name == obj.Name() {
			return compiled.ReadBacking, true
		}
	}
	return 0, false
}

// isBuffer reports whether a call is one of bufferOps, and an argument one of its slices.
func isBuffer(call *ssa.Call, arg ssa.Value) bool {
	if _, ok := bufferOps(&call.Call); !ok {
		return false
	}
	if b, ok := arg.Type().Underlying().(*types.Basic); ok {
		return b.Kind() != types.UnsafePointer
	}
	return plainSlice(arg.Type())
}
