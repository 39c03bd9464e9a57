//go:build servers

package mcp_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"cupola/robot/mcp"
	"cupola/robot/service/servicetest"
)

// conformance is the suite of the protocol, a package of npm.
const conformance = "@modelcontextprotocol/conformance@0.2.0-alpha.12"

// TestTheProtocolIsSpokenAsItsSuiteWants runs the scenarios of both eras: those with sessions and those without. The
// scenarios that must fail are listed with their reasons in testdata/conformance.yml; one that passes all the same
// fails the test.
func TestTheProtocolIsSpokenAsItsSuiteWants(t *testing.T) {
	suite := servicetest.Program(t, conformance, "conformance")
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			server := mcp.New(mcp.Options{Service: servicetest.New(t), Version: "1.2.3"})
			addFixtures(t, server.MCP())
			serving := httptest.NewServer(server.Handler(t.Context()))
			t.Cleanup(serving.Close)
			said, err := suite("server", "--url", serving.URL+"/mcp",
				"--requirements", version, "--expected-failures", "testdata/conformance.yml").CombinedOutput()
			_, summary, _ := strings.Cut(string(said), "SUMMARY")
			t.Log(summary)
			if err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}
