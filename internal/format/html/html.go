// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package html writes the findings of a run as a page for a browser.
//
// Its input is a [report.Run], and the source files that the findings name, as far as they can be
// read when the page is written. Its output is one file of HTML: style, code and data are in it, so
// that it is sent, kept and opened as any file. The page loads nothing and sends nothing; its
// content security policy allows only the style and the code that are in it, by their hashes.
//
// The findings are data, in JSON. The page's code shows a list of them by declaration, and of the
// one that is chosen lanes of goroutines over time, the source, stacks, and the text. What is out
// of sight isn't in the page's tree, so that 10,000 findings take no more of the browser than 50.
// With scripts off, the page is a plain list of findings.
//
// Writing takes time and space linear in the findings. A stack, a frame, an excerpt of the source
// or a line of a report that several findings have is there once. The same run and the same files
// give the same bytes.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
)

// The parts of the page. The code is in one file for each subject, and they share a scope.
var (
	//go:embed page/page.gohtml
	pageText string
	//go:embed page/page.css
	style string
	//go:embed page/data.js
	dataCode string
	//go:embed page/list.js
	listCode string
	//go:embed page/lanes.js
	lanesCode string
	//go:embed page/finding.js
	findingCode string
	//go:embed page/main.js
	mainCode string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// code is all of the page's code.
func code() string {
	return strings.Join([]string{"\"use strict\";\n", dataCode, listCode, lanesCode, findingCode,
		mainCode}, "")
}

// plainMost is the number of findings up to which the plain list has their whole reports. Beyond
// that it would double the size of the page.
const plainMost = 200

// content is what the template is filled with.
type content struct {
	Policy  template.HTMLAttr
	Style   template.CSS
	Code    template.JS
	Data    template.JS // JSON, in which <, >, & and separators of lines are escaped
	Title   string
	Command string
	Plain   []plain
	Whole   bool // the plain list has the reports
}

// A plain finding is one as it is shown where scripts are off.
type plain struct {
	Headline, Kind, Evidence, Place, Mend, Report string
}

// Write writes the page of a run. The findings stay in their order. Paths are shortened to what
// they are in the root. Relative ones are looked for in the working directory, and then in the
// root. The error is one of w, or of JSON.
func Write(w io.Writer, run *report.Run, root location.Root) error {
	m := newMaker(newSources(root))
	page := m.page(run)
	var data bytes.Buffer
	e := json.NewEncoder(&data) // it escapes what HTML or JavaScript would take for its own
	if err := e.Encode(page); err != nil {
		return err
	}
	c := content{
		Style:   template.CSS(style),
		Code:    template.JS(code()),
		Data:    template.JS(strings.TrimSpace(data.String())),
		Title:   title(run),
		Command: page.Command,
		Whole:   len(page.Findings) <= plainMost,
	}
	// No attribute of the template has an apostrophe or quote of this text.
	c.Policy = template.HTMLAttr(fmt.Sprintf(`content="default-src 'none'; style-src '%s'; `+
		`script-src '%s'; base-uri 'none'; form-action 'none'"`, hash(style), hash(code())))
	for i, f := range page.Findings {
		p := plain{Headline: f.Headline, Kind: f.Kind, Evidence: f.Evidence, Place: f.Place,
			Mend: f.Mend}
		switch {
		case !c.Whole:
		case i < len(run.Findings):
			p.Report = reportText(run.Findings[i])
		default:
			p.Report = run.Failures[i-len(run.Findings)].Output
		}
		c.Plain = append(c.Plain, p)
	}
	return pageTemplate.Execute(w, c)
}

// hash is a source of a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// title is the page's title.
func title(run *report.Run) string {
	switch n := len(run.Findings) + len(run.Failures); n {
	case 0:
		return "commute: nothing was found"
	case 1:
		return "commute: 1 finding"
	default:
		return fmt.Sprintf("commute: %d findings", n)
	}
}
