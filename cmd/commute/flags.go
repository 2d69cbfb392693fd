// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/explore"
	"github.com/commutego/commute/internal/format"
	"github.com/commutego/commute/internal/option"
)

// A setting is the values of commute's own flags.
type setting struct {
	specs        []string         // -spec
	datarace     bool             // -datarace
	watch        []string         // -watch
	atomic       []string         // -atomic
	trace        string           // -trace
	last         uint64           // -trace_last, in megabytes; 0: it's not given
	limit        uint64           // -trace_limit, likewise
	reports      []format.Output  // -report
	baseline     string           // -baseline
	update       bool             // -update_baseline
	silent       silent           // what is not to be reported
	strict       bool             // -strict
	predict      bool             // -predict
	confirm      string           // -confirm
	explore      *explore.Plan    // -explore, -explore_seed and -replay; nil without them
	needsExplore string           // why some flag needs -explore; "" if none does
	cover        coverSetting     // -explore_cover and -explore_cover_min
	concCover    string           // -conc_cover
	concPatterns []string         // -conc_coverpkg
	concPackages packageSet       // whose operations count for -conc_cover
	options      []option.Setting // those for the programs that are run
}

// An ownFlag is a flag of commute test, run and build that the go command doesn't have.
type ownFlag struct {
	name string
	arg  string // what stands for the value in the help text; "" if it has none
	need string // what the value has to be, for errors
	bare string // the value that it has without one; "" if it needs one
	set  func(own *setting, value string) error
}

// setters are the effects of the flags in package option's table.
var setters = map[string]func(own *setting, value string) error{
	"spec": func(own *setting, value string) error {
		own.specs = append(own.specs, value)
		return nil
	},
	"datarace": func(own *setting, value string) (err error) {
		own.datarace, err = strconv.ParseBool(value)
		return err
	},
	"atomic": func(own *setting, value string) error {
		own.atomic = append(own.atomic, value)
		return transaction.CheckPattern(value)
	},
	"confirm":      setConfirm,
	"explore":      setExplore,
	"explore_seed": setExploreSeed,
	"explore_policy": func(own *setting, value string) error {
		own.needsExplore = "-explore_policy says how schedules are chosen"
		return own.plan().ParsePolicies(value)
	},
	"explore_all": setExploreAll,
	"explore_shard": func(own *setting, value string) (err error) {
		own.needsExplore = "-explore_shard says which part of the schedules is explored"
		own.plan().Shard, err = explore.ParseShard(value)
		return err
	},
	"explore_cover":     setExploreCover,
	"explore_cover_min": setExploreCoverMin,
	"conc_cover":        setConcCover,
	"conc_coverpkg":     setConcCoverPkg,
	"explore_leaks":     setExploreLeaks,
	"explore_perturb":   setExplorePerturb,
	"explore_schedules": setExploreSchedules,
	"replay":            setReplay,
	"baseline": func(own *setting, value string) error {
		own.baseline = value
		return nil
	},
	"update_baseline": func(own *setting, value string) (err error) {
		own.update, err = strconv.ParseBool(value)
		return err
	},
	"report": func(own *setting, value string) error {
		o, err := format.Parse(value)
		own.reports = append(own.reports, o)
		return err
	},
	"strict": func(own *setting, value string) (err error) {
		own.strict, err = strconv.ParseBool(value)
		return err
	},
	"predict": func(own *setting, value string) (err error) {
		own.predict, err = strconv.ParseBool(value)
		return err
	},
	"trace": func(own *setting, value string) error {
		own.trace = value
		return checkTraceFolder(value)
	},
	"trace_last": func(own *setting, value string) error {
		return setSize(&own.last, "trace_last", value)
	},
	"trace_limit": func(own *setting, value string) error {
		return setSize(&own.limit, "trace_limit", value)
	},
	"watch": func(own *setting, value string) error {
		own.watch = append(own.watch, value)
		return nil
	},
}

// flagTable lists the flags of commute test, which are those of run and build, too. Flags that
// stand for options of watched programs follow.
var flagTable = append(tableFlags(), optionFlags()...)

func tableFlags() (list []ownFlag) {
	for _, f := range option.FlagsOf("test") {
		list = append(list, ownFlag{name: f.Name, arg: f.Value, need: f.Need,
			bare: f.Bare, set: setters[f.Name]})
	}
	return list
}

func optionFlags() (list []ownFlag) {
	for _, o := range option.Table {
		if o.Flag {
			list = append(list, optionFlag(o))
		}
	}
	return list
}

// optionFlag is the flag for an option of the programs that are run.
func optionFlag(o option.Option) ownFlag {
	f := ownFlag{name: o.Name, arg: o.Value, need: o.Short, bare: o.Bare}
	if o.Kind == option.Switch {
		f.arg = ""
	}
	f.set = func(own *setting, value string) error {
		if on, err := strconv.ParseBool(value); err == nil && o.Kind == option.Switch {
			value = "0"
			if on {
				value = "1"
			}
		}
		own.options = append(own.options, option.Setting{Name: o.Name, Value: value})
		if err := o.Check(value); err != nil {
			return fmt.Errorf("-%s=%s: %w; a flag of the tests' own goes behind -args",
				o.Name, value, err)
		}
		return nil
	}
	return f
}

// flagHelp is the part of a help text about the flags.
func flagHelp(command string) string {
	var options []string
	for _, o := range option.Table {
		if o.Flag {
			options = append(options, "-"+o.Name)
		}
	}
	half := (len(options) + 1) / 2
	return option.FlagHelp(nil, command) + fmt.Sprintf("\t%s,\n\t%s\n\t\t%s\n",
		strings.Join(options[:half], ", "), strings.Join(options[half:], ", "),
		"options of the programs that are run (see commute help options).")
}

// takeOwn takes commute's own flags out of args.
func takeOwn(name string, args []string) (own setting, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" || name == "run" && !strings.HasPrefix(arg, "-") {
			return own, append(rest, args[i:]...), nil // what follows is the program's
		}
		flag, value, hasValue := cutFlag(arg)
		at := slices.IndexFunc(flagTable, func(f ownFlag) bool { return f.name == flag })
		if at < 0 {
			rest = append(rest, arg)
			continue
		}
		f := flagTable[at]
		if f.arg == "" {
			value = cmp.Or(value, "true")
			if f.set(&own, value) != nil {
				return own, nil, fmt.Errorf("invalid boolean value %q for -%s", value, flag)
			}
			continue
		}
		switch {
		case hasValue:
		case f.bare != "":
			if i+1 < len(args) && isNumber(args[i+1]) {
				return own, nil, fmt.Errorf("-%s %s: a value of this flag stands behind = (write "+
					"-%[1]s=%[2]s)", flag, args[i+1])
			}
			value = f.bare
		case i+1 < len(args):
			i++
			value = args[i]
		}
		if value == "" || strings.HasPrefix(value, "-") && !isNegative(value) {
			return own, nil, fmt.Errorf("flag needs an argument: -%s (%s)", flag, f.need)
		}
		if err := f.set(&own, value); err != nil {
			return own, nil, err
		}
	}
	return own, rest, nil
}

// isNumber reports whether an argument is a number, and so is no package.
func isNumber(arg string) bool {
	_, err := strconv.ParseUint(arg, 10, 64)
	return err == nil
}

// isNegative reports whether a value begins as a negative number, and so is no flag.
func isNegative(value string) bool {
	return len(value) > 1 && value[0] == '-' && '0' <= value[1] && value[1] <= '9'
}

// cutFlag splits an argument. The name is empty if it is no flag.
func cutFlag(arg string) (name, value string, hasValue bool) {
	if !strings.HasPrefix(arg, "-") {
		return "", "", false
	}
	return strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
}

// setSize takes the value of -trace_last or -trace_limit.
func setSize(size *uint64, flag, value string) error {
	n, err := strconv.ParseUint(value, 10, 24)
	if err != nil || n == 0 {
		return fmt.Errorf("invalid value %q for -%s (want a number of megabytes, as 64)",
			value, flag)
	}
	*size = n
	return nil
}

// checkTraceFolder refuses values that aren't folders for -trace: go test's flag of that name takes
// a file.
func checkTraceFolder(value string) error {
	switch {
	case strings.HasPrefix(value, "./...") || strings.Contains(value, "..."):
		return fmt.Errorf("-trace %s: it takes a folder for the traces before the packages (did "+
			"you mean -trace traces %[1]s?)", value)
	case strings.HasSuffix(value, ".out"):
		return fmt.Errorf("-trace %s: it takes a folder (did you mean -trace %s? go test's "+
			"execution trace is -test.trace %[1]s)",
			value, strings.TrimSuffix(value, ".out"))
	case strings.HasSuffix(value, ".go"):
		return errors.New("-trace " + value +
			": it takes a folder for the traces before the files (did you mean -trace traces " +
			value + "?)")
	}
	return nil
}
