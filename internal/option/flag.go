// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"regexp"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/format"
)

// A Flag is a flag that a command of commute has and the go command has not. What such a flag does
// is said here only: help texts and docs/options.md are made of it.
type Flag struct {
	Name     string
	Value    string   // what stands for the value in help texts; "" if it has none
	Commands []string // that take it: words after "commute", or Vet
	Default  string   // "" if there is none, or Help says it
	Help     string   // with code in backquotes
	Need     string   // what the value has to be, for errors
	Bare     string   // the value that the flag has without one; "" if it needs one
}

// Vet stands for commute as the tool of go vet.
const Vet = "vet"

var (
	built   = []string{"test", "run", "build", "toolexec"}
	readers = []string{"trace info", "trace cat", "trace validate", "trace convert", "trace cut",
		"trace reorder"}
	writers  = []string{"trace convert", "trace gen", "trace cut", "trace reorder"}
	checkers = []string{"analyze", "trace validate", "trace cut", "trace reorder"}

	predictors = []string{"analyze", "trace reorder"}
)

// Flags lists all flags, those of a command in the order of its help text. The flags of commute
// test and run that stand for an option of Table are not among them.
var Flags = []Flag{
	{Name: "spec", Value: "FILE", Commands: built,
		Need: `a .ecl file, or a package that "commute spec list" shows`,
		Help: "specifications of types, in a `.ecl` file; or the import path of a package whose " +
			"specifications come with commute, to apply them to any version. The flag may be " +
			"given more than once. `commute toolexec` takes an absolute path."},
	{Name: "datarace", Commands: built,
		Help: "find data races too, in the packages on the command line and in package " +
			"`testing`. The reports are in the format of `go test -race`. No cgo is needed."},
	{Name: "atomic", Value: "PATTERN", Commands: built,
		Need: "a pattern of functions, as 'bank.(*Account).*', or exported",
		Help: "take functions for atomic, as `//commute:atomic` above them does, without a " +
			"change of the source. A pattern is held against names as stack traces have them, " +
			"and `*` stands for any text: `'bank.(*Account).*'`. The package's own name is " +
			"enough. Of `main`, `init` and tests, only what a pattern without a `*` names is " +
			"meant. `exported` is all exported functions and methods of the packages on the " +
			"command line, `exported:./...` those of the packages of the build that match; but " +
			"for those in `_test.go` files, and those that wait for others (`select`, `<-`, " +
			"`Wait`, `Sleep`, a `context.Context` first), loop for ever, or call a function that " +
			"they are given. `'!cache.(*Cache).Clean'` leaves functions out, whatever the other " +
			"patterns say. Function literals have no names. `//commute:notatomic` above a " +
			"function goes before. The flag may be given more than once."},
	{Name: "predict", Commands: []string{"test", "run"},
		Help: "look for more that could have happened to code that is marked as atomic: when a " +
			"program has ended, check `avp` goes through what it did, and what another order " +
			"of it would break is reported. A package in which something is predicted fails. " +
			"It looks at the first 16 megabytes of what is recorded, or at those of " +
			"`-trace_limit`. Tests are run anew."},
	{Name: "confirm", Value: "N", Commands: []string{"test"}, Bare: "default",
		Need: "a number of runs, as in -confirm=200, or a time for each test, as in -confirm=30s",
		Help: "explore the tests in which something is reported that could happen, until it does; " +
			"the report is then of that, with the seed. `-confirm=200` is 200 runs of each, " +
			"`-confirm=30s` as many as there is time for. See docs/explore.md."},
	{Name: "explore", Value: "N", Commands: []string{"test"}, Bare: "default",
		Need: "a number of runs, as in -explore=200, or a time for each test, as in -explore=30s",
		Help: "run each test function at the top by many schedules, and report the first by which " +
			"it fails, with its seed: `-explore=200` is 200 runs of each, `-explore=30s` as many " +
			"as there is time for. The flag alone is up to 64 runs, and 10 seconds. See " +
			"docs/explore.md."},
	{Name: "explore_seed", Value: "N", Commands: []string{"test"}, Default: "1",
		Need: "a number",
		Help: "with `-explore`: another number draws other schedules. The same number draws the " +
			"same."},
	{Name: "explore_leaks", Value: "off", Commands: []string{"test"}, Default: "on",
		Need: "on or off",
		Help: "with `-explore` and `-replay`: a test that leaks goroutines, which can never go on, " +
			"doesn't fail."},
	{Name: "explore_perturb", Commands: []string{"test"},
		Help: "with `-explore`: hold goroutines up at random instead of controlling schedules. That " +
			"is what `-explore` does on ports that it can't control; here it is for tests that " +
			"need the real time. A failure can't be replayed exactly."},
	{Name: "explore_policy", Value: "NAMES", Commands: []string{"test"},
		Need: "names of policies, as in -explore_policy=again,tx",
		Help: "with `-explore`: use these policies alone, with commas between. They are forced, " +
			"random, again, tx, surw, pos and pair; docs/explore.md says what they do."},
	{Name: "explore_all", Commands: []string{"test"},
		Help: "with `-explore`: go on after a failure, and report each that is another one, once."},
	{Name: "explore_shard", Value: "I/N", Commands: []string{"test"},
		Need: "the part and how many there are, as in -explore_shard=1/4",
		Help: "with `-explore`: make the I-th of N parts of the runs. So N machines make other runs " +
			"of the same tests; `commute cover` puts together what they have covered."},
	{Name: "explore_cover", Value: "FILE", Commands: []string{"test"},
		Need: "a file, which is made or added to",
		Help: "with `-explore`: write to the file which orders of operations were seen, and add it " +
			"to what is there. `commute cover FILE` shows it."},
	{Name: "explore_cover_min", Value: "N", Commands: []string{"test"},
		Need: "a percentage, as in -explore_cover_min=90",
		Help: "with `-explore`: exit with code 1 if less than N percent of the pairs of operations " +
			"were seen in both orders. With `-explore_cover`, those of the file count as well."},
	{Name: "explore_schedules", Value: "FOLDER", Commands: []string{"test"},
		Bare: "testdata/explore", Need: "a folder for the schedules of tests that fail",
		Help: "with `-explore`: keep the schedule by which a test fails, in a file " +
			"`TestName/HASH.schedule` of that folder. The flag alone is `testdata/explore` beside " +
			"each package, whose schedules `commute test` runs after the tests."},
	{Name: "replay", Value: "SEED", Commands: []string{"test"},
		Need: "the seed that a report under -explore ends with, or a file of -explore_schedules",
		Help: "run the tests that `-run` names once more by the schedule of that seed, which " +
			"stands in the report of a test that failed under `-explore`. The file of a schedule " +
			"may stand in its place: it names its test, and the run is compared with it."},
	{Name: "conc_cover", Value: "FILE", Commands: []string{"test", "run"},
		Need: "a file for the profile",
		Help: "write to the file which pairs of operations on one object or lock ran, and how: by " +
			"two goroutines, unordered, in both orders. `commute cover FILE` shows it. See " +
			"docs/cover.md. Tests are run anew."},
	{Name: "conc_coverpkg", Value: "PATTERNS", Commands: []string{"test", "run"},
		Need: "patterns of packages, as in -conc_coverpkg=./...,example.com/db",
		Help: "with `-conc_cover`: the packages whose operations count, with commas between. " +
			"Without it, they are those of your modules. `all` is dependencies too."},
	{Name: "report", Value: "FORMAT=FILE",
		Commands: []string{"test", "run", "analyze", "commute vet"},
		Need:     format.Need,
		Help: "write what is found, of all packages together, to a file too. Formats are `json` " +
			"(`go doc github.com/commutego/commute/report`), `sarif` for code scanning, " +
			"`html`, a page for a browser, and `github`, the annotations of GitHub Actions; " +
			"`-report=github` alone writes them to standard error. `-` is standard output. " +
			"The flag may be given more than once."},
	{Name: "baseline", Value: "FILE", Commands: []string{"test", "run"},
		Need: "a file of findings that are known",
		Help: "a file of suppressions that `-update_baseline` writes: findings that are known are " +
			"not reported, so that only new ones fail. It may be given beside `-suppressions`."},
	{Name: "update_baseline", Commands: []string{"test", "run"},
		Help: "write what this run finds to the file of `-baseline`: a line for each finding that " +
			"has none. Lines for which nothing is found are taken out, if all tests are run. " +
			"Tests are run anew."},
	{Name: "strict", Commands: []string{"test", "run"},
		Help: "exit with code 2 if nothing was watched, or if code is marked as atomic and none " +
			"of it was run. Results of go's test cache don't count: tests are run anew."},
	{Name: "trace", Value: "FOLDER", Commands: []string{"test", "run"},
		Need: "a folder, for the traces of what runs; did you mean -test.trace?",
		Help: "record what each program does, in a file in that folder, for `commute analyze`. " +
			"Memory is watched for it, as with `-datarace`. (Go test's execution trace is " +
			"`-test.trace FILE`.)"},
	{Name: "trace_last", Value: "N", Commands: []string{"test", "run"},
		Need: "a number of megabytes, as 64",
		Help: "keep only the end of each trace: the last N megabytes, and the definitions that " +
			"they need, however long the program runs."},
	{Name: "trace_limit", Value: "N", Commands: []string{"test", "run"},
		Need: "a number of megabytes, as 64",
		Help: "end each trace after N megabytes."},
	{Name: "watch", Value: "PATTERN", Commands: built,
		Need: "a pattern of packages, as ./... or all",
		Help: "with `-datarace` or `-trace`, or where code is marked as atomic: watch the memory " +
			"accesses of these packages too; `all` is the standard library and all else. The " +
			"flag may be given more than once. `commute toolexec` takes import paths, `std` " +
			"and `all`."},

	{Name: "check", Value: "LIST", Commands: []string{"analyze"},
		Default: "transactions,predictions,hb,calls,sections",
		Help: "what to check, with commas between. Without the flag it is all that a trace may " +
			"have data for: these, or `frontier,hb,commute` where commute has not recorded " +
			"it. After the verdict stand those that it had data for."},
	{Name: "check", Value: "CHECK", Commands: []string{"trace reorder"}, Default: "avp",
		Help: "the check that finds the orders: `avp` or `goodlock`."},
	{Name: "all", Commands: []string{"analyze"},
		Help: "report every violating transaction, and of races one for each two positions; not " +
			"only the first finding of each check."},
	{Name: "level", Value: "LEVEL", Commands: []string{"analyze"}, Default: "updates",
		Help: "which races of calls of a recorded trace are reported: `violations`, `updates`, " +
			"`races` or `all`, as of a run."},
	{Name: "suppressions", Value: "FILE", Commands: []string{"analyze", "commute vet"},
		Help: "a file that says what not to report of a recorded trace, or of what vet finds, as " +
			"of a run."},
	{Name: "window", Value: "N", Commands: predictors, Default: "20000",
		Help: "of `-check=avp`: how many events are looked at together."},
	{Name: "budget", Value: "N", Commands: predictors, Default: "200000",
		Help: "of `-check=avp`: how many states are visited in a window. What is left when it is " +
			"used up is given up: a note on standard error says of how many transactions."},
	{Name: "switches", Value: "N", Commands: predictors, Default: "4",
		Help: "of `-check=avp`: where the budget is used up, orders are tried in which another " +
			"thread goes on so many times after the part that is as in the trace."},
	{Name: "bound", Commands: predictors,
		Help: "of `-check=avp`: look only for orders with at most `-switches` switches of threads " +
			"after the part that is as in the trace. That finds less."},
	{Name: "tas=false", Commands: predictors,
		Help: "of `-check=avp`: don't determine the trace atomicity segments of transactions, " +
			"for filters and the search. This and the next three don't change what can be " +
			"found, only what it takes; they are for measurements."},
	{Name: "static=false", Commands: predictors,
		Help: "of `-check=avp`: leave the static check out, which passes transactions with fewer " +
			"than two conflicts, in their windows or their segments."},
	{Name: "forest=false", Commands: predictors,
		Help: "of `-check=avp`: leave the conditions of `forest-conflict` out, which pass most " +
			"transactions otherwise."},
	{Name: "reduce=false", Commands: predictors,
		Help: "of `-check=avp`: search without ample sets, by which the order of steps that " +
			"don't depend on each other makes no difference."},
	{Name: "witness", Value: "N", Commands: []string{"trace reorder"}, Default: "1",
		Help: "which of the orders that `analyze -check=CHECK -all` finds."},
	{Name: "json", Commands: []string{"analyze"},
		Help: "print an object for each file, in a line. `go doc " +
			"github.com/commutego/commute/report` has its schema, which has a version."},
	{Name: "format", Value: "FORMAT", Commands: append([]string{"analyze"}, readers...),
		Help: "of the file that is read, where its content doesn't tell: `binary`, `text`, " +
			"`std` or `roadrunner`."},
	{Name: "shape", Value: "SHAPE", Commands: []string{"trace gen"}, Default: "locked",
		Help: "what the trace is like:"},
	{Name: "events", Value: "N", Commands: []string{"trace gen"}, Default: "1000000",
		Help: "how many events there are; 1e9 is fine, too."},
	{Name: "seed", Value: "N", Commands: []string{"trace gen"}, Default: "1",
		Help: "the same seed makes the same trace."},
	{Name: "threads", Value: "N", Commands: []string{"trace gen"},
		Help: "how many threads there are; otherwise, and for the next three, as the shape has " +
			"it."},
	{Name: "locks", Value: "N", Commands: []string{"trace gen"}, Help: "how many locks."},
	{Name: "vars", Value: "N", Commands: []string{"trace gen"}, Help: "how many variables."},
	{Name: "length", Value: "N", Commands: []string{"trace gen"},
		Help: "how many events a transaction has."},
	{Name: "violation", Value: "N", Commands: []string{"trace gen"},
		Help: "have the five events from event N on violate serializability."},
	{Name: "events", Value: "FROM-TO", Commands: []string{"trace cut"},
		Help: "keep these events, counted from 1; either number may be left out."},
	{Name: "threads", Value: "LIST", Commands: []string{"trace cut"},
		Help: "keep the events of these threads; names with commas between."},
	{Name: "near", Value: "NAME", Commands: []string{"trace cut"},
		Help: "keep the transactions that access a variable, a lock or an object, other accesses " +
			"of it, and the synchronization of their threads. The file is read twice."},
	{Name: "mutexes=false", Commands: checkers,
		Help: "let locks be acquired and released in any order. Otherwise a lock of an STD or " +
			"RoadRunner trace is held by one thread at a time, and released by that."},
	{Name: "to", Value: "FORMAT", Commands: writers,
		Help: "of the file that is written. Otherwise its name tells: `.std`, `.rr` for " +
			"RoadRunner, `.txt` for the text form of the binary format, and anything else for " +
			"the binary format. A further `.gz` is for gzip."},
	{Name: "codec", Value: "CODEC", Commands: writers, Default: "s2",
		Help: "what compresses a binary trace: `s2` (fast), `zstd` (smaller), or `plain`."},

	{Name: "json", Commands: []string{"spec show"}, Help: "print the specification as JSON."},
	{Name: "dot", Commands: []string{"spec show"}, Help: "print it as a graph for Graphviz."},
	{Name: "notest", Commands: []string{"spec draft"},
		Help: "don't test the draft: it takes a few seconds."},
	{Name: "w", Commands: []string{"spec draft"},
		Help: "write the draft into the type's doc comment."},
	{Name: "checks", Value: "N", Commands: []string{"spec infer"}, Default: "1000",
		Help: "how many pairs of calls are tried of every two methods in each round."},
	{Name: "new", Value: "EXPR", Commands: []string{"spec infer"},
		Help: "how an object is made: an expression in the type's package."},
	{Name: "sample", Value: "TYPE:LIST", Commands: []string{"spec infer"},
		Help: "values for parameters of a type, as `time.Duration: 0, time.Hour`. The flag may " +
			"be given more than once."},
	{Name: "seed", Value: "S", Commands: []string{"spec infer"}, Default: "1",
		Help: "another seed draws other calls and states."},
	{Name: "support", Value: "N", Commands: []string{"spec infer"}, Default: "20",
		Help: "how many pairs of calls have to speak for a condition that is claimed."},
	{Name: "timeout", Value: "D", Commands: []string{"spec infer"}, Default: "2s",
		Help: "how long one call may take. A method that takes longer commutes with none."},
	{Name: "w", Commands: []string{"spec infer"},
		Help: "write the specification into the type's doc comment."},
	{Name: "checks", Value: "N", Commands: []string{"spec test"}, Default: "1000",
		Help: "how many cases each pair of methods has."},
	{Name: "json", Commands: []string{"spec test"}, Help: "print the report as JSON."},
	{Name: "seed", Value: "S", Commands: []string{"spec test"}, Default: "1",
		Help: "another seed draws other cases."},
	{Name: "spec", Value: "FILE", Commands: []string{"spec test"},
		Help: "test the specifications of FILE instead."},
	{Name: "timeout", Value: "D", Commands: []string{"spec test"}, Default: "5s",
		Help: "how long one call may take."},
	{Name: "type", Value: "NAME", Commands: []string{"spec test"}, Help: "test that type only."},

	{Name: "table", Value: "LIST", Commands: []string{"bench papers"}, Default: "all",
		Help: "the tables to print, with commas between:"},
	{Name: "o", Value: "FILE", Commands: []string{"bench papers"}, Help: "write the tables there."},
	{Name: "dir", Value: "DIR", Commands: []string{"bench papers"},
		Help: "keep the traces there, and plots, to which the Markdown refers: `table1.svg`, " +
			"`table2.svg`, `length.svg`, `length-long.svg`, `rd2.svg`. Otherwise there are no " +
			"plots, and the traces are removed."},
	{Name: "events", Value: "N", Commands: []string{"bench papers"}, Default: "1000000",
		Help: "the greatest number of events of a trace."},
	{Name: "operations", Value: "N", Commands: []string{"bench papers"}, Default: "10000",
		Help: "how many operations there are of each of the store's circuits."},
	{Name: "rounds", Value: "N", Commands: []string{"bench papers"}, Default: "3",
		Help: "how often each of the store's circuits is run with each build, and each check of " +
			"table predictive on each trace."},
	{Name: "timeout", Value: "D", Commands: []string{"bench papers"}, Default: "1m0s",
		Help: "for one measurement."},
	{Name: "rapid", Value: "CLASSPATH", Commands: []string{"bench papers"},
		Help: "in tables speed and recorded, measure RAPID's AeroDrome beside, on the same files: " +
			"where its classes are, and the libraries that it needs."},
	{Name: "programs", Value: "DIR", Commands: []string{"bench papers"},
		Help: "where the programs of table recorded are: testdata/papers in commute's " +
			"repository. They are built with the go command. Otherwise there is no such table."},
	{Name: "traces", Value: "DIR", Commands: []string{"bench papers"},
		Help: "measure the checks of table predictive on the traces (.trace) of that folder, too."},

	{Name: "diff", Commands: []string{"fix"},
		Help: "print the changes as a unified diff, and write nothing."},
	{Name: "checkact", Commands: []string{Vet, "fix"},
		Help: "report calls that check and then act, without running anything."},
	{Name: "checkact.level", Value: "LEVEL", Commands: []string{Vet, "fix"}, Default: "likely",
		Need: "likely or all",
		Help: "with `-checkact`: `all` reports also acts that two goroutines may make as well as " +
			"one, as far as can be seen."},
	{Name: "splitlock", Commands: []string{Vet, "fix"},
		Help: "report variables that are read in one critical section, and written in a later one " +
			"because of what was read."},
	{Name: "splitlock.level", Value: "LEVEL", Commands: []string{Vet, "fix"}, Default: "likely",
		Need: "likely or all",
		Help: "with `-splitlock`: `likely` reports the kinds of pairs of which a good part do harm, " +
			"`all` all."},
	{Name: "reduction", Commands: []string{Vet},
		Help: "report what is in the way of reducing a function with `//atomic` to one step."},
	{Name: "reduction.all", Commands: []string{Vet},
		Help: "with `-reduction`: report also which functions are proven atomic, and why it is not " +
			"known of others."},
}

// FlagsOf lists the flags of a command.
func FlagsOf(command string) (list []Flag) {
	for _, f := range Flags {
		if slices.Contains(f.Commands, command) {
			list = append(list, f)
		}
	}
	return list
}

// NamesOf lists the names of the flags of a command.
func NamesOf(command string) (list []string) {
	for _, f := range FlagsOf(command) {
		list = append(list, f.Name)
	}
	return list
}

// helpWidth is the number of columns of a help text behind its indent.
const helpWidth = 80

// FlagHelp is the part of a help text that lists the flags of commands. Lists go behind the flag
// whose name they have.
func FlagHelp(lists map[string]string, commands ...string) string {
	var b strings.Builder
	for _, f := range Flags {
		if !slices.ContainsFunc(commands,
			func(c string) bool { return slices.Contains(f.Commands, c) }) {
			continue
		}
		title := strings.TrimSpace("-" + f.Name + " " + f.Value)
		b.WriteString(entry(title, f.Default, f.Help) + lists[f.Name])
	}
	return b.String()
}

// entry is what a help text says of a flag or an option.
func entry(title, byDefault, text string) string {
	if byDefault != "" {
		title += "  (default " + byDefault + ")"
	}
	text = plain(text)
	return "\t" + title + "\n\t\t" + strings.Join(wrap(text, helpWidth), "\n\t\t") + "\n"
}

// word is a word of small letters in backquotes, which would be lost among others without them.
var word = regexp.MustCompile("`([a-z]+)`")

// plain is a text for a terminal.
func plain(text string) string {
	return strings.ReplaceAll(word.ReplaceAllString(text, `"$1"`), "`", "")
}

// wrap breaks a text at spaces into lines of so many columns.
func wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
