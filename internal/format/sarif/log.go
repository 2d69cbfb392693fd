// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sarif

// The types are the parts of a SARIF 2.1.0 log that are written, by their names in the standard.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}

	sarifRun struct {
		Tool               tool                        `json:"tool"`
		Invocations        []invocation                `json:"invocations,omitempty"`
		OriginalURIBaseIDs map[string]artifactLocation `json:"originalUriBaseIds,omitempty"`
		ColumnKind         string                      `json:"columnKind"`
		Results            []result                    `json:"results"`
	}

	tool struct {
		Driver driver `json:"driver"`
	}

	driver struct {
		Name           string `json:"name"`
		Version        string `json:"version,omitempty"`
		InformationURI string `json:"informationUri"`
		Rules          []rule `json:"rules"`
	}

	rule struct {
		ID               string  `json:"id"`
		ShortDescription message `json:"shortDescription"`
		Help             message `json:"help"`
		HelpURI          string  `json:"helpUri"`
	}

	invocation struct {
		CommandLine         string `json:"commandLine,omitempty"`
		ExecutionSuccessful bool   `json:"executionSuccessful"`
	}

	message struct {
		Text string `json:"text"`
	}

	result struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             message           `json:"message"`
		Locations           []location        `json:"locations,omitempty"`
		RelatedLocations    []location        `json:"relatedLocations,omitempty"`
		CodeFlows           []codeFlow        `json:"codeFlows,omitempty"`
		Stacks              []stack           `json:"stacks,omitempty"`
		Fixes               []fix             `json:"fixes,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		OccurrenceCount     int               `json:"occurrenceCount,omitempty"`
		Properties          map[string]any    `json:"properties,omitempty"`
	}

	location struct {
		ID               *int              `json:"id,omitempty"`
		PhysicalLocation *physicalLocation `json:"physicalLocation,omitempty"`
		LogicalLocations []logicalLocation `json:"logicalLocations,omitempty"`
		Message          *message          `json:"message,omitempty"`
	}

	physicalLocation struct {
		ArtifactLocation artifactLocation `json:"artifactLocation"`
		Region           *region          `json:"region,omitempty"`
	}

	artifactLocation struct {
		URI       string `json:"uri,omitempty"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}

	region struct {
		StartLine   int      `json:"startLine"`
		StartColumn int      `json:"startColumn,omitempty"`
		EndLine     int      `json:"endLine,omitempty"`
		EndColumn   int      `json:"endColumn,omitempty"`
		Snippet     *content `json:"snippet,omitempty"`
	}

	content struct {
		Text string `json:"text"`
	}

	logicalLocation struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}

	codeFlow struct {
		Message     *message     `json:"message,omitempty"`
		ThreadFlows []threadFlow `json:"threadFlows"`
	}

	threadFlow struct {
		ID        string               `json:"id"`
		Locations []threadFlowLocation `json:"locations"`
	}

	threadFlowLocation struct {
		Location       location `json:"location"`
		ExecutionOrder int      `json:"executionOrder"`
	}

	stack struct {
		Message *message `json:"message,omitempty"`
		Frames  []frame  `json:"frames"`
	}

	frame struct {
		Location location `json:"location"`
	}

	fix struct {
		Description     message          `json:"description"`
		ArtifactChanges []artifactChange `json:"artifactChanges"`
	}

	artifactChange struct {
		ArtifactLocation artifactLocation `json:"artifactLocation"`
		Replacements     []replacement    `json:"replacements"`
	}

	replacement struct {
		DeletedRegion   region  `json:"deletedRegion"`
		InsertedContent content `json:"insertedContent"`
	}
)
