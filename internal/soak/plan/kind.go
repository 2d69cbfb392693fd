// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

// A Kind is a way to order two goroutines.
type Kind uint8

// The kinds of links.
const (
	Mutex       Kind = iota // unlocked by another goroutine than the one that locked it
	TryLock                 // the same, but taken by TryLock
	RWRead                  // Unlock, RLock
	RWWrite                 // RUnlock, Lock
	Once                    //
	OnceFunc                //
	OnceValue               //
	WaitGroup               // Done, Wait
	CondSignal              //
	CondAll                 // Broadcast
	Pool                    // Put, Get
	SyncMap                 // LoadOrStore, LoadAndDelete
	AtomicStore             // Store, Load
	AtomicSwap              // Swap, Load
	AtomicCAS               // CompareAndSwap, CompareAndSwap
	AtomicAdd               // Add, Load
	AtomicOr                // Or, Load
	AtomicBool              //
	AtomicPtr               // a pointer is published
	AtomicAny               // atomic.Value
	AtomicFunc              // functions of package sync/atomic
	AtomicCount             // several add, and one sees the sum
	ChanQueue               // a buffered channel
	ChanSlot                // a buffered channel of nothing
	ChanMeet                // an unbuffered channel
	ChanClose               //
	SelectRecv              // a case of several
	SelectSend              //
	SelectMeet              // unbuffered, both sides select
	SelectPoll              // with default
	TimerReset              // Reset, and receive from its channel
	TickerReset             //
	CtxCancel               // cancel, Done
	CtxErr                  // cancel, Err
	CtxChild                // a context below it
	CtxCause                //
	IOPipe                  // io.Pipe
	OSPipe                  //
	File                    // one writes, the other reads
	TCP                     //
	Unix                    //
	kindsEnd
)

// Kinds is the number of kinds of links.
const Kinds = int(kindsEnd)

// A Class is operations of which any two may be ordered, because what implements them shares
// something.
type Class uint8

// The classes.
const (
	NoClass Class = iota
	InOut         // package syscall orders all writes before all reads
	classes
)

// A property describes a kind.
type property struct {
	name    string
	signals int   // at most
	waits   int   // at most
	meet    bool  // the signaler waits for the waiter as well
	queue   bool  // of a few places: the k-th signal is for the k-th wait
	back    bool  // what a waiter did may come before what the signaler does after
	mix     bool  // the signals may be ordered among each other
	chat    bool  // the waits may be
	class   Class //
	rare    int   // one of so many is taken
}

var properties = [...]property{
	Mutex:       {name: "mutex", signals: 1, waits: 1},
	TryLock:     {name: "trylock", signals: 1, waits: 1},
	RWRead:      {name: "rwmutex unlock-rlock", signals: 1, waits: 3},
	RWWrite:     {name: "rwmutex runlock-lock", signals: 3, waits: 1},
	Once:        {name: "once", signals: 1, waits: 3},
	OnceFunc:    {name: "oncefunc", signals: 1, waits: 3},
	OnceValue:   {name: "oncevalue", signals: 1, waits: 3},
	WaitGroup:   {name: "waitgroup", signals: 3, waits: 3},
	CondSignal:  {name: "cond signal", signals: 1, waits: 1, back: true},
	CondAll:     {name: "cond broadcast", signals: 1, waits: 3, back: true, chat: true},
	Pool:        {name: "pool", signals: 1, waits: 1},
	SyncMap:     {name: "sync.Map", signals: 1, waits: 1},
	AtomicStore: {name: "atomic store", signals: 1, waits: 3},
	AtomicSwap:  {name: "atomic swap", signals: 1, waits: 3},
	AtomicCAS:   {name: "atomic cas", signals: 1, waits: 1},
	AtomicAdd:   {name: "atomic add", signals: 1, waits: 3},
	AtomicOr:    {name: "atomic or", signals: 1, waits: 3},
	AtomicBool:  {name: "atomic bool", signals: 1, waits: 3},
	AtomicPtr:   {name: "atomic pointer", signals: 1, waits: 3},
	AtomicAny:   {name: "atomic value", signals: 1, waits: 3},
	AtomicFunc:  {name: "atomic functions", signals: 1, waits: 3},
	AtomicCount: {name: "atomic count", signals: 3, waits: 3, mix: true},
	ChanQueue:   {name: "channel, buffered", signals: 6, waits: 6, queue: true},
	ChanSlot: {name: "channel of nothing", signals: 3, waits: 3, queue: true, mix: true,
		chat: true, back: true},
	ChanMeet:    {name: "channel, unbuffered", signals: 1, waits: 1, meet: true},
	ChanClose:   {name: "channel, closed", signals: 1, waits: 3},
	SelectRecv:  {name: "select receive", signals: 1, waits: 1},
	SelectSend:  {name: "select send", signals: 1, waits: 1},
	SelectMeet:  {name: "select unbuffered", signals: 1, waits: 1, meet: true},
	SelectPoll:  {name: "select default", signals: 1, waits: 1},
	TimerReset:  {name: "timer", signals: 1, waits: 1},
	TickerReset: {name: "ticker", signals: 1, waits: 1},
	CtxCancel:   {name: "context done", signals: 1, waits: 3, back: true, chat: true},
	CtxErr:      {name: "context err", signals: 1, waits: 3, back: true, chat: true},
	CtxChild:    {name: "context child", signals: 1, waits: 3, back: true, chat: true},
	CtxCause:    {name: "context cause", signals: 1, waits: 3, back: true, chat: true},
	IOPipe:      {name: "io.Pipe", signals: 1, waits: 1, meet: true},
	OSPipe:      {name: "os.Pipe", signals: 1, waits: 1, class: InOut, rare: 8},
	File:        {name: "file", signals: 1, waits: 1, class: InOut, rare: 16},
	TCP:         {name: "tcp", signals: 1, waits: 1, class: InOut, rare: 32},
	Unix:        {name: "unix socket", signals: 1, waits: 1, class: InOut, rare: 32},
}

func (k Kind) String() string { return properties[k].name }

// A Start is a way to start a goroutine.
type Start uint8

// The starts.
const (
	Root        Start = iota // the goroutine that runs the plan
	Go                       // a go statement
	WaitGroupGo              // (*WaitGroup).Go
	AfterFunc                // time.AfterFunc
	ResetFunc                // (*Timer).Reset
	CtxAfter                 // context.AfterFunc
	Pull                     // iter.Pull; resumed by Next
	Exec                     // it copies what a command prints
	Finalizer                //
	Cleanup                  //
	startsEnd
)

// Starts is the number of starts.
const Starts = int(startsEnd)

var starts = [...]string{"root", "go", "waitgroup.Go", "time.AfterFunc", "timer.Reset",
	"context.AfterFunc", "iter.Pull", "os/exec", "finalizer", "cleanup"}

func (s Start) String() string { return starts[s] }

// Collected reports whether the goroutine is one of the collector's: there is one for many, so it
// must not wait.
func (s Start) Collected() bool { return s >= Finalizer }

// A Type is a type of variables.
type Type uint8

// The types. Torn values of those from Any on would break the program, so only variables that are
// never raced on have them.
const (
	Int64 Type = iota
	Packed
	Uint16
	Float64
	Complex
	String
	Slice
	Struct
	Array
	Pointer
	Element
	Global
	MapKey // of a sync.Map: a read is a Load, a write a Store or Swap
	Any
	Table // of a map
	typesEnd
)

// Types is the number of types.
const Types = int(typesEnd)

var types = [...]string{"int64", "packed byte", "uint16", "float64", "complex128", "string",
	"slice",
	"struct", "array", "pointer", "element", "global", "sync.Map key", "any", "map"}

func (t Type) String() string { return types[t] }

// Narrow reports whether variables of the type may lie side by side in one word.
func (t Type) Narrow() bool { return t == Packed || t == Uint16 }

// Meets reports whether the signaler waits for the waiter.
func (k Kind) Meets() bool { return properties[k].meet }
