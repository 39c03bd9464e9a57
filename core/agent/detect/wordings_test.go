package detect_test

import "cupola/core"

// wording is the message of some version of an agent for a failure.
type wording struct {
	agent, text string
	state       core.State
	reason      core.Reason // empty where either will do
	source      string
}

// wordings are taken from where they are named: documentation, reports of users, and
// runs of the versions against a model that fails.
var wordings = []wording{
	{
		"claude", "⎿ Invalid API key · Please run /login", core.Errored, core.ReasonAuth,
		"code.claude.com/docs/en/errors; 1.0",
	},
	{"claude", "⎿ Not logged in · Please run /login", core.Errored, core.ReasonAuth, "code.claude.com/docs/en/errors"},
	{
		"claude", "⎿ OAuth token revoked · Please run /login", core.Errored, core.ReasonAuth,
		"code.claude.com/docs/en/errors",
	},
	{
		"claude", "⎿ OAuth session expired and could not be refreshed · Please run /login", core.Errored,
		core.ReasonAuth, "code.claude.com/docs/en/errors",
	},
	{
		"claude",
		`⎿ API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"Invalid OAuth token. ` +
			`The provided token was not found or is malformed."}}`,
		core.Errored, core.ReasonAuth, "anthropics/claude-code#3242; 1.0.44",
	},
	{
		"claude",
		`● API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has ` +
			`expired. Please obtain a new token or refresh your existing token."},"request_id":"req_011"} · ` +
			`Please run /login`,
		core.Errored, core.ReasonAuth, "anthropics/claude-code#33230; 2.1.72",
	},
	{
		"claude", "● Please run /login · API Error: 403 Your account does not have access to this model.", core.Errored,
		core.ReasonAuth, "run of 2.1.197",
	},
	{
		"claude",
		`⎿ API Error: 403 {"type":"error","error":{"type":"permission_error","message":"Your account does not ` +
			`have access to this model."},"request_id":"req_mock"} · Please run /login`,
		core.Errored, core.ReasonAuth, "run of 2.0.30",
	},
	{
		"claude", "⎿ This organization has been disabled. Please contact your administrator.", core.Errored,
		core.ReasonAuth, "code.claude.com/docs/en/errors",
	},
	{
		"claude",
		"⎿ Your organization does not have access to Claude. Please login again or contact your administrator.",
		core.Errored, core.ReasonAuth, "code.claude.com/docs/en/errors",
	},
	{
		"claude", "⎿ Your organization has disabled Claude subscription access · Sign in with an API key", core.Errored,
		core.ReasonAuth, "code.claude.com/docs/en/errors",
	},
	{
		"claude", "⎿ Your session has ended · Sign in again to go on", core.Errored, core.ReasonAuth,
		"a wording of no version",
	},
	{"claude", "⎿ Credit balance is too low", core.Errored, core.ReasonBilling, "code.claude.com/docs/en/errors"},
	{
		"claude", "⎿ Credit balance too low · Add funds: https://console.anthropic.com/settings/billing", core.Errored,
		core.ReasonBilling, "anthropics/claude-code#867; 0.2.81",
	},
	{
		"claude",
		`⎿ API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance ` +
			`is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`,
		core.Errored, core.ReasonBilling, "anthropics/claude-code#867",
	},
	{
		"claude", "⎿ Payment required · Update your payment method at claude.ai/settings", core.Errored,
		core.ReasonBilling, "a wording of no version",
	},
	{
		"claude", "⎿ Claude usage limit reached. Your limit will reset at 3pm (Europe/Berlin).", core.Limited,
		core.ReasonQuota, "anthropics/claude-code; 1.0",
	},
	{"claude", "⎿ 5-hour limit reached ∙ resets 3pm", core.Limited, core.ReasonQuota, "anthropics/claude-code; 2.0"},
	{
		"claude", "● You've hit your limit · resets 3pm (Europe/Berlin)", core.Limited, core.ReasonQuota,
		"anthropics/claude-code; 2.1",
	},
	{
		"claude", "● You've hit your session limit · resets 3:45pm", core.Limited, core.ReasonQuota,
		"code.claude.com/docs/en/errors",
	},
	{
		"claude", "⎿ You're out of extra usage · resets Feb 3 at 10am", core.Limited, core.ReasonQuota,
		"anthropics/claude-code#45033",
	},
	{
		"claude",
		`⎿ API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"You're out of extra ` +
			`usage. Add more at claude.ai/settings/usage and keep going."}}`,
		core.Limited, core.ReasonQuota, "anthropics/claude-code#45033",
	},
	{
		"claude", "⎿ All of this month's included usage is used up · resets Feb 1", core.Limited, core.ReasonQuota,
		"a wording of no version",
	},
	{
		"claude",
		`⎿ API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed ` +
			`your account's rate limit. Please try again later."}}`,
		core.Limited, core.ReasonRateLimit, "run of 2.0.30",
	},
	{
		"claude",
		"● API Error: Request rejected (429) · this may be a temporary capacity issue. If it persists, check " +
			"https://status.claude.com.",
		core.Limited, core.ReasonRateLimit, "code.claude.com/docs/en/errors",
	},
	{
		"claude", "● API Error: Server is temporarily limiting requests (not your usage limit)", core.Limited,
		core.ReasonRateLimit, "code.claude.com/docs/en/errors",
	},
	{
		"claude",
		`⎿ API Error: 529 ` +
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_mock"}`,
		core.Errored, core.ReasonServer, "run of 2.0.30",
	},
	{
		"claude",
		"● API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a " +
			"moment.",
		core.Errored, core.ReasonServer, "code.claude.com/docs/en/errors",
	},
	{
		"claude", "⎿ Unable to connect to API (ECONNREFUSED)", core.Errored, core.ReasonServer,
		"code.claude.com/docs/en/errors",
	},
	{
		"claude", "⎿ Request timed out. Check your internet connection and proxy settings", core.Errored,
		core.ReasonServer, "code.claude.com/docs/en/errors",
	},
	{"claude", "⎿ Prompt is too long", core.Errored, core.ReasonOther, "code.claude.com/docs/en/errors"},

	{
		"codex",
		"You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing), or try again in 3 days " +
			"4 hours 5 minutes.",
		core.Limited, core.ReasonQuota, "openai/codex protocol/src/error.rs; 0.46",
	},
	{
		"codex",
		"You've hit your usage limit. To get more access now, send a request to your admin or try again at 6:05 PM.",
		core.Limited, core.ReasonQuota, "openai/codex protocol/src/error.rs",
	},
	{
		"codex", "Quota exceeded. Check your plan and billing details.", core.Limited, core.ReasonQuota,
		"openai/codex protocol/src/error.rs",
	},
	{
		"codex", "To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt/pricing.",
		core.Limited, core.ReasonQuota, "openai/codex protocol/src/error.rs",
	},
	{
		"codex", "Your workspace is out of credits. Add credits to continue.", core.Limited, "",
		"openai/codex protocol/src/error.rs",
	},
	{
		"codex",
		"exceeded retry limit, last status: 429 Too Many Requests, request id: 719350cc-6f62-4fee-85b8-282e20d1b2cd",
		core.Limited, core.ReasonRateLimit, "openai/codex#12781; 0.104",
	},
	{
		"codex", "stream error: exceeded retry limit, last status: 429 Too Many Requests", core.Limited,
		core.ReasonRateLimit, "openai/codex; 0.3x",
	},
	{
		"codex",
		"Rate limit reached for gpt-5-codex in organization org-x on tokens per min (TPM): Limit 30000. Please " +
			"try again in 1.2s.",
		core.Limited, core.ReasonRateLimit, "openai/codex; 0.3x",
	},
	{"codex", "The service slows you down: throttled", core.Limited, core.ReasonRateLimit, "a wording of no version"},
	{
		"codex", "unexpected status 401 Unauthorized: Missing bearer or basic authentication in header", core.Errored,
		core.ReasonAuth, "openai/codex; 0.5x",
	},
	{
		"codex",
		"Your access token could not be refreshed because your refresh token was already used. Please log out and " +
			"sign in again.",
		core.Errored, core.ReasonAuth, "openai/codex login/src/auth.rs",
	},
	{
		"codex", "Your session has expired. Authenticate once more.", core.Errored, core.ReasonAuth,
		"a wording of no version",
	},
	{
		"codex", "unexpected status 402 Payment Required: Your card was declined", core.Errored, core.ReasonBilling,
		"HTTP 402",
	},
	{"codex", "The subscription has lapsed.", core.Errored, core.ReasonBilling, "a wording of no version"},
	{
		"codex", "We're currently experiencing high demand, which may cause temporary errors.", core.Errored,
		core.ReasonServer, "openai/codex protocol/src/error.rs",
	},
	{
		"codex", "Selected model is at capacity. Please try a different model.", core.Errored, core.ReasonServer,
		"openai/codex protocol/src/error.rs",
	},
	{
		"codex",
		"stream disconnected before completion: error sending request for url (https://api.openai.com/v1/responses)",
		core.Errored, core.ReasonServer, "openai/codex protocol/src/error.rs",
	},
	{"codex", "unexpected status 502 Bad Gateway: <html>", core.Errored, core.ReasonServer, "HTTP 502"},

	{
		"gemini",
		`[API Error: {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and ` +
			`billing details. Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro ` +
			`Requests per day per user per tier'","status":"RESOURCE_EXHAUSTED"}}]`,
		core.Limited, core.ReasonQuota, "google-gemini/gemini-cli; 0.1",
	},
	{
		"gemini",
		`[API Error: {"error":{"code":429,"message":"Resource has been exhausted (e.g. check ` +
			`quota).","errors":[{"reason":"rateLimitExceeded"}],"status":"RESOURCE_EXHAUSTED"}}]`,
		core.Limited, "", "google-gemini/gemini-cli; 0.1",
	},
	{
		"gemini", "[API Error: You have exhausted your capacity on this model. Your quota will reset after 2h5m10s.]",
		core.Limited, core.ReasonQuota, "google-gemini/gemini-cli; 0.2x",
	},
	{
		"gemini", "Usage limit reached for gemini-3-pro-preview. Access resets at 1:30 AM", core.Limited,
		core.ReasonQuota, "google-gemini/gemini-cli; 0.2x",
	},
	{
		"gemini", "[API Error: No capacity available for model gemini-3-pro on the server]", core.Errored,
		core.ReasonServer, "google-gemini/gemini-cli",
	},
	{
		"gemini",
		`[API Error: {"error":{"code":401,"message":"Request had invalid authentication ` +
			`credentials.","status":"UNAUTHENTICATED"}}]`,
		core.Errored, core.ReasonAuth, "google APIs",
	},
	{
		"gemini", "Failed to login. Message: This account requires setting the GOOGLE_CLOUD_PROJECT env var.",
		core.Errored, core.ReasonAuth, "google-gemini/gemini-cli; 0.1",
	},
	{
		"gemini", "Your sign-in is no longer valid: permission denied", core.Errored, core.ReasonAuth,
		"a wording of no version",
	},
	{
		"gemini",
		`[API Error: {"error":{"code":403,"message":"This API method requires billing to be ` +
			`enabled.","status":"PERMISSION_DENIED"}}]`,
		core.Errored, core.ReasonBilling, "google APIs",
	},
	{
		"gemini",
		`[API Error: {"error":{"code":503,"message":"The model is overloaded. Please try again ` +
			`later.","status":"UNAVAILABLE"}}]`,
		core.Errored, core.ReasonServer, "google-gemini/gemini-cli; 0.1",
	},
	{
		"gemini", "[API Error: exception TypeError: fetch failed sending request]", core.Errored, core.ReasonServer,
		"google-gemini/gemini-cli; 0.2x",
	},
	{"gemini", "The connection to the service broke off", core.Errored, core.ReasonServer, "a wording of no version"},

	{
		"qwen", "[API Error: 429 You exceeded your current quota, please check your plan and billing details.]",
		core.Limited, core.ReasonQuota, "QwenLM/qwen-code",
	},
	{
		"qwen", "[API Error: 429 insufficient_quota: Free allocated quota exceeded.]", core.Limited, core.ReasonQuota,
		"dashscope",
	},
	{
		"qwen", "Qwen OAuth quota exceeded: Your free daily quota has been reached.", core.Limited, core.ReasonQuota,
		"QwenLM/qwen-code; 0.0.12",
	},
	{
		"qwen", "Throttling.RateQuota: Requests rate limit exceeded, please try again later.", core.Limited, "",
		"dashscope",
	},
	{
		"qwen", "[API Error: 400 Arrearage: Access denied, please make sure your account is in good standing.]",
		core.Errored, core.ReasonBilling, "dashscope",
	},
	{"qwen", "[API Error: 401 Incorrect API key provided.]", core.Errored, core.ReasonAuth, "run of 0.15.10"},
	{"qwen", "Your token was rejected: log in anew", core.Errored, core.ReasonAuth, "a wording of no version"},
	{
		"qwen", "[API Error: Connection error. (cause: fetch failed)]", core.Errored, core.ReasonServer,
		"QwenLM/qwen-code",
	},
	{"qwen", "[API Error: 504 stream timeout after 240s]", core.Errored, core.ReasonServer, "dashscope"},

	{
		"copilot",
		"Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a " +
			"specific time period. Please try again in 2 hours. Please review our Terms of Service " +
			"(https://docs.github.com/site-policy/github-terms/github-terms-of-service).",
		core.Limited, core.ReasonRateLimit, "github/copilot-cli#2144",
	},
	{
		"copilot",
		`Model call failed: {"message":"Sorry, you have exceeded your Copilot token usage. Please review our ` +
			`Terms of Service.","code":"rate_limited"} (Request ID: F3E8:12948C)`,
		core.Limited, "", "github/copilot-cli#793; 0.0.369",
	},
	{
		"copilot", `402 {"error":{"message":"You have no quota","code":"quota_exceeded"}} (Request ID: F499:17ECFD)`,
		core.Limited, core.ReasonQuota, "github/copilot-cli#3431; 1.0.49",
	},
	{
		"copilot", "You have reached your monthly limit for premium requests.", core.Limited, core.ReasonQuota,
		"microsoft/vscode-copilot-release#13608",
	},
	{
		"copilot", "You've used all premium requests included in your plan.", core.Limited, core.ReasonQuota,
		"a wording of no version",
	},
	{"copilot", "402 mock error 402", core.Errored, core.ReasonBilling, "run of 1.0.49"},
	{
		"copilot",
		"Authentication failed with provider at http://127.0.0.1/v1 (HTTP 403). Check your " +
			"COPILOT_PROVIDER_API_KEY or COPILOT_PROVIDER_BEARER_TOKEN.",
		core.Errored, core.ReasonAuth, "run of 1.0.49",
	},
	{
		"copilot", "Error: No authentication information found. Run /login.", core.Errored, core.ReasonAuth,
		"github/copilot-cli; 0.0.3xx",
	},
	{
		"copilot", "Access denied by policy settings. Your organization has restricted Copilot access", core.Errored,
		core.ReasonAuth, "github/copilot-cli",
	},
	{
		"copilot",
		"Execution failed: Error: Failed to get response from the AI model; retried 5 times. Last error: 503 " +
			"Service Unavailable",
		core.Errored, core.ReasonServer, "github/copilot-cli; 0.0.3xx",
	},
	{
		"copilot", "The way to the model is gone: socket closed", core.Errored, core.ReasonServer,
		"a wording of no version",
	},

	{
		"opencode",
		"Incorrect API key provided: sk-test-000. You can find your API key at " +
			"https://platform.openai.com/account/api-keys.",
		core.Errored, core.ReasonAuth, "run of 1.2.27",
	},
	{"opencode", "Token refresh failed: 401", core.Errored, core.ReasonAuth, "anomalyco/opencode"},
	{"opencode", "mock error 402", core.Errored, core.ReasonBilling, "run of 1.2.27"},
	{
		"opencode", "Insufficient balance. Manage your billing here: https://opencode.ai/workspace/billing",
		core.Errored, core.ReasonBilling, "opencode.ai zen",
	},
	{
		"opencode",
		"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or " +
			"purchase credits.",
		core.Errored, core.ReasonBilling, "anomalyco/opencode",
	},
	{
		"opencode", "AI_RetryError: Failed after 4 attempts. Last error: Too Many Requests", core.Limited,
		core.ReasonRateLimit, "anomalyco/opencode#2398",
	},
	{
		"opencode", "Too many requests, the rate limit is 8000000 tokens per minute.", core.Limited,
		core.ReasonRateLimit, "anomalyco/opencode#21465",
	},
	{"opencode", "Subscription quota exceeded. Retry in 4hr 12min.", core.Limited, core.ReasonQuota, "opencode.ai zen"},
	{"opencode", "The usage limit has been reached", core.Limited, core.ReasonQuota, "anomalyco/opencode"},
	{
		"opencode", "This model's weekly allowance is exhausted", core.Limited, core.ReasonQuota,
		"a wording of no version",
	},
	{"opencode", "Bad Gateway", core.Errored, core.ReasonServer, "anomalyco/opencode"},
	{"opencode", "mock error 404", core.Errored, core.ReasonOther, "run of 1.2.27"},
}

// failureTalk are messages of agents that only write about failures.
var failureTalk = []string{
	"A 429 means that too many requests were sent. Wait until the rate limit resets at 3pm, then try again.",
	"API Error 429 is what the server answers where a quota is exceeded; 401 tells that the API key is invalid.",
	"I fixed the login: an expired OAuth token now leads to \"Please run /login\" instead of API Error: 401.",
	"Error handling is done in api/errors.go. Invalid API keys, payment failures (402) and timeouts are covered.",
	"Not every failed request is retried: 500, 502, 503 and 529 (overloaded) are, 401 and 403 are not.",
	"You've hit your limit is the text that I now show when the usage limit is reached.",
	"Authentication works again. The credentials had expired, so every request was rejected (403 Forbidden).",
	"Billing: the credit balance is too low when the invoice is overdue. I added a test for both.",
	"The error was a connection timeout. I raised the limit from 5 to 500 requests per minute.",
	"Here is the log that you asked for:\n\n    API Error: 429 {\"type\":\"error\"}\n    Credit balance is too " +
		"low\n    Error: quota exceeded\n\nAll three come from the same run.",
	"Which one do you want?\n\n1. Error: 401 Unauthorized\n2. Error: 429 Too Many Requests\n3. Your session has " +
		"expired · Please run /login",
	"Authentication failed because the clock was wrong; I fixed that.",
	"Not logged in users are sent to /login now.",
	"OAuth token refresh is done in auth.go, and the error is shown.",
	"Credit balance too low is what the page says then, with status 402.",
	"Weekly limit reached banners are shown at the top of the page.",
	"Error: is the prefix that all messages have now, for example in quota errors.",
	"Done. The rate limit, the quota and the login page have tests now.",
}
