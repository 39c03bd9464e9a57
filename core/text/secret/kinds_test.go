package secret

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// maker makes random texts; nothing that looks like a credential is in this file.
type maker struct{ *rand.Rand }

func (m maker) of(letters string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(letters[m.IntN(len(letters))])
	}
	return b.String()
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	url64  = lower + upper + digits + "-_"
)

func (m maker) an(n int) string {
	return m.of(lower+upper+digits, n-2) + m.of(digits, 1) + m.of(lower, 1)
}
func (m maker) hex(n int) string { return m.of(digits+"abcdef", n) }
func (m maker) low(n int) string { return m.of(lower+digits, n-2) + m.of(digits, 2) }
func (m maker) up(n int) string  { return m.of(upper+digits, n) }
func (m maker) b64(n int) string {
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(m.IntN(256))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func (m maker) uuid() string {
	return strings.Join([]string{m.hex(8), m.hex(4), "4" + m.hex(3), "a" + m.hex(3), m.hex(12)}, "-")
}

// kinds are credentials as issuers document them, each in a line as people see it. The part between the signs ⟦ and
// ⟧ is secret.
var kinds = map[string]func(maker) string{
	"openai": func(m maker) string {
		return "OPENAI key ⟦sk-proj-" + m.of(url64, 74) + "T3BlbkFJ" + m.of(url64, 74) + "⟧"
	},
	"openai, old":      func(m maker) string { return "⟦sk-" + m.an(48) + "⟧" },
	"anthropic":        func(m maker) string { return "ANTHROPIC_API_KEY=⟦sk-ant-api03-" + m.of(url64, 93) + "AA⟧" },
	"anthropic oauth":  func(m maker) string { return "token ⟦sk-ant-oat01-" + m.of(url64, 93) + "AA⟧" },
	"openrouter":       func(m maker) string { return "⟦sk-or-v1-" + m.hex(64) + "⟧" },
	"groq":             func(m maker) string { return "GROQ_API_KEY=⟦gsk_" + m.an(52) + "⟧" },
	"groq alone":       func(m maker) string { return "using ⟦gsk_" + m.an(52) + "⟧ now" },
	"xai":              func(m maker) string { return "⟦xai-" + m.an(80) + "⟧" },
	"perplexity":       func(m maker) string { return "⟦pplx-" + m.an(48) + "⟧" },
	"replicate":        func(m maker) string { return "⟦r8_" + m.an(37) + "⟧" },
	"hugging face":     func(m maker) string { return "login --token ⟦hf_" + m.of(lower+upper, 34) + "⟧" },
	"mistral":          func(m maker) string { return "MISTRAL_API_KEY=⟦" + m.an(32) + "⟧" },
	"cohere":           func(m maker) string { return "CO_API_KEY: ⟦" + m.an(40) + "⟧" },
	"google ai":        func(m maker) string { return "GEMINI_API_KEY=⟦AIza" + m.of(url64, 35) + "⟧" },
	"google oauth":     func(m maker) string { return "⟦ya29." + m.of(url64, 120) + "⟧" },
	"google client":    func(m maker) string { return `"client_secret":"⟦GOCSPX-` + m.of(url64, 28) + `⟧"` },
	"google refresh":   func(m maker) string { return `"refresh_token": "⟦1//0` + m.of(url64, 60) + `⟧"` },
	"nvidia":           func(m maker) string { return "⟦nvapi-" + m.of(url64, 64) + "⟧" },
	"langsmith":        func(m maker) string { return "⟦lsv2_pt_" + m.hex(32) + "_" + m.hex(10) + "⟧" },
	"pinecone":         func(m maker) string { return "⟦pcsk_" + m.an(6) + "_" + m.an(60) + "⟧" },
	"tavily":           func(m maker) string { return "⟦tvly-dev-" + m.an(32) + "⟧" },
	"github":           func(m maker) string { return "GH_TOKEN=⟦ghp_" + m.an(36) + "⟧" },
	"github fine":      func(m maker) string { return "⟦github_pat_11" + m.up(20) + "_" + m.an(59) + "⟧" },
	"github in a name": func(m maker) string { return "GH_TOKEN=⟦" + m.hex(40) + "⟧" },
	"github app":       func(m maker) string { return "⟦ghs_" + m.an(36) + "⟧" },
	"gitlab":           func(m maker) string { return "⟦glpat-" + m.of(url64, 20) + "⟧" },
	"gitlab runner":    func(m maker) string { return "⟦glrt-" + m.of(url64, 20) + "⟧" },
	"bitbucket":        func(m maker) string { return "⟦ATBB" + m.an(32) + "⟧" },
	"atlassian":        func(m maker) string { return "⟦ATATT3xFfGF0" + m.of(url64, 180) + "⟧" },
	"aws id":           func(m maker) string { return "⟦AKIA" + m.of(upper+"234567", 16) + "⟧" },
	"aws secret":       func(m maker) string { return "aws_secret_access_key = ⟦" + m.an(38) + "/+⟧" },
	"aws secret, env":  func(m maker) string { return "AWS_SECRET_ACCESS_KEY=⟦" + m.an(40) + "⟧" },
	"aws session":      func(m maker) string { return "AWS_SESSION_TOKEN=⟦" + m.b64(300) + "⟧" },
	"aws presigned":    func(m maker) string { return "https://b.s3.aws/k?X-Amz-Signature=⟦" + m.hex(64) + "⟧" },
	"azure storage": func(m maker) string {
		return "AccountName=x;AccountKey=⟦" + m.b64(64) + "⟧;EndpointSuffix=core.windows.net"
	},
	"azure sas": func(m maker) string {
		return "https://x.blob.core.windows.net/c?sv=2022-11-02&sr=c&sig=⟦" + m.an(43) + "%3D⟧"
	},
	"azure client": func(m maker) string { return "AZURE_CLIENT_SECRET=⟦" + m.an(3) + "8Q~" + m.an(34) + "⟧" },
	"azure bus": func(m maker) string {
		return "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKey=⟦" + m.b64(32) + "⟧"
	},
	"slack": func(m maker) string {
		return "⟦xoxb-" + m.of(digits, 12) + "-" + m.of(digits, 12) + "-" + m.an(24) + "⟧"
	},
	"slack app": func(m maker) string {
		return "⟦xapp-1-A" + m.up(10) + "-" + m.of(digits, 13) + "-" + m.hex(64) + "⟧"
	},
	"slack webhook": func(m maker) string {
		return "https://hooks.slack.com/services/⟦T" + m.up(8) + "/B" + m.up(8) + "/" + m.an(24) + "⟧"
	},
	"discord": func(m maker) string {
		return "DISCORD_TOKEN=⟦M" + m.an(25) + "." + m.an(6) + "." + m.of(url64, 38) + "⟧"
	},
	"discord webhook": func(m maker) string {
		return "https://discord.com/api/webhooks/⟦" + m.of(digits, 18) + "/" + m.of(url64, 68) + "⟧"
	},
	"teams webhook": func(m maker) string {
		return "https://x.webhook.office.com/webhookb2/⟦" + m.uuid() + "@" + m.uuid() +
			"/IncomingWebhook/" + m.hex(32) + "/" + m.uuid() + "⟧"
	},
	"telegram": func(m maker) string {
		return "https://api.telegram.org/bot⟦" + m.of("123456789", 10) + ":AA" + m.of(url64, 33) + "⟧/getMe"
	},
	"twilio":         func(m maker) string { return "TWILIO_AUTH_TOKEN=⟦" + m.hex(32) + "⟧" },
	"twilio key":     func(m maker) string { return "⟦SK" + m.hex(32) + "⟧" },
	"sendgrid":       func(m maker) string { return "⟦SG." + m.of(url64, 22) + "." + m.of(url64, 43) + "⟧" },
	"mailgun":        func(m maker) string { return "⟦key-" + m.hex(32) + "⟧" },
	"mailchimp":      func(m maker) string { return "MAILCHIMP_API_KEY=⟦" + m.hex(32) + "-us12⟧" },
	"resend":         func(m maker) string { return "⟦re_" + m.an(8) + "_" + m.an(24) + "⟧" },
	"stripe":         func(m maker) string { return "⟦sk_live_" + m.an(24) + "⟧" },
	"stripe webhook": func(m maker) string { return "⟦whsec_" + m.an(32) + "⟧" },
	"square":         func(m maker) string { return "⟦sq0atp-" + m.of(url64, 22) + "⟧" },
	"shopify":        func(m maker) string { return "⟦shpat_" + m.hex(32) + "⟧" },
	"paypal":         func(m maker) string { return "⟦access_token$production$" + m.low(16) + "$" + m.hex(32) + "⟧" },
	"plaid":          func(m maker) string { return "PLAID_SECRET=⟦" + m.hex(30) + "⟧" },
	"digitalocean":   func(m maker) string { return "⟦dop_v1_" + m.hex(64) + "⟧" },
	"cloudflare":     func(m maker) string { return "CF_API_TOKEN=⟦" + m.of(url64, 38) + m.of(digits, 2) + "⟧" },
	"heroku":         func(m maker) string { return "HEROKU_API_KEY=⟦" + m.uuid() + "⟧" },
	"fly":            func(m maker) string { return "⟦fm2_" + m.b64(90) + "⟧" },
	"netlify":        func(m maker) string { return "⟦nfp_" + m.an(36) + "⟧" },
	"vercel":         func(m maker) string { return "VERCEL_TOKEN=⟦" + m.an(24) + "⟧" },
	"supabase":       func(m maker) string { return "⟦sbp_" + m.hex(40) + "⟧" },
	"planetscale":    func(m maker) string { return "⟦pscale_tkn_" + m.of(url64, 43) + "⟧" },
	"databricks":     func(m maker) string { return "⟦dapi" + m.hex(32) + "⟧" },
	"snowflake":      func(m maker) string { return "SNOWFLAKE_PASSWORD='⟦" + m.an(12) + "⟧'" },
	"vault":          func(m maker) string { return "VAULT_TOKEN=⟦hvs." + m.of(url64, 90) + "⟧" },
	"vault, old":     func(m maker) string { return "X-Vault-Token: ⟦s." + m.an(24) + "⟧" },
	"terraform":      func(m maker) string { return "⟦" + m.an(14) + ".atlasv1." + m.an(67) + "⟧" },
	"doppler":        func(m maker) string { return "⟦dp.pt." + m.an(43) + "⟧" },
	"1password":      func(m maker) string { return "⟦ops_eyJ" + m.an(300) + "⟧" },
	"pulumi":         func(m maker) string { return "⟦pul-" + m.hex(40) + "⟧" },
	"npm":            func(m maker) string { return "//registry.npmjs.org/:_authToken=⟦npm_" + m.an(36) + "⟧" },
	"npm, old":       func(m maker) string { return "//registry.npmjs.org/:_authToken=⟦" + m.uuid() + "⟧" },
	"pypi":           func(m maker) string { return "⟦pypi-AgEIcHlwaS5vcmc" + m.of(url64, 160) + "⟧" },
	"rubygems":       func(m maker) string { return "⟦rubygems_" + m.hex(48) + "⟧" },
	"crates":         func(m maker) string { return `token = "⟦cio` + m.an(32) + `⟧"` },
	"docker":         func(m maker) string { return "⟦dckr_pat_" + m.of(url64, 27) + "⟧" },
	"docker config":  func(m maker) string { return `"auth": "⟦` + m.b64(30) + `⟧"` },
	"sentry":         func(m maker) string { return "⟦sntrys_eyJ" + m.an(100) + "_" + m.an(43) + "⟧" },
	"sentry dsn":     func(m maker) string { return "https://⟦" + m.hex(32) + "⟧@o1.ingest.sentry.io/2" },
	"datadog":        func(m maker) string { return "DD_API_KEY=⟦" + m.hex(32) + "⟧" },
	"datadog header": func(m maker) string { return "DD-APPLICATION-KEY: ⟦" + m.hex(40) + "⟧" },
	"new relic":      func(m maker) string { return "⟦NRAK-" + m.up(27) + "⟧" },
	"grafana":        func(m maker) string { return "⟦glsa_" + m.an(32) + "_" + m.hex(8) + "⟧" },
	"linear":         func(m maker) string { return "⟦lin_api_" + m.an(40) + "⟧" },
	"notion":         func(m maker) string { return "⟦ntn_" + m.of(digits, 11) + m.an(35) + "⟧" },
	"figma":          func(m maker) string { return "⟦figd_" + m.of(url64, 40) + "⟧" },
	"airtable":       func(m maker) string { return "⟦pat" + m.an(14) + "." + m.hex(64) + "⟧" },
	"postman":        func(m maker) string { return "⟦PMAK-" + m.hex(24) + "-" + m.hex(34) + "⟧" },
	"okta":           func(m maker) string { return "Authorization: SSWS ⟦00" + m.of(url64, 40) + "⟧" },
	"tailscale":      func(m maker) string { return "⟦tskey-auth-" + m.an(12) + "CNTRL-" + m.an(32) + "⟧" },
	"sonar":          func(m maker) string { return "⟦squ_" + m.hex(40) + "⟧" },
	"circleci":       func(m maker) string { return "⟦CCIPAT_" + m.an(22) + "_" + m.hex(40) + "⟧" },
	"artifactory":    func(m maker) string { return "⟦AKCp" + m.an(69) + "⟧" },
	"jwt": func(m maker) string {
		return "⟦eyJhbGciOiJIUzI1NiJ9.eyJ" + m.of(url64, 60) + "." + m.of(url64, 43) + "⟧"
	},
	"basic":         func(m maker) string { return "Authorization: Basic ⟦" + m.b64(20) + "⟧" },
	"bearer":        func(m maker) string { return `-H "Authorization: Bearer ⟦` + m.an(40) + `⟧"` },
	"x-api-key":     func(m maker) string { return "x-api-key: ⟦" + m.an(24) + "⟧" },
	"cookie":        func(m maker) string { return "Cookie: session=⟦" + m.an(40) + "⟧" },
	"set-cookie":    func(m maker) string { return "Set-Cookie: sid=⟦" + m.an(40) + "⟧; Path=/; HttpOnly" },
	"postgres url":  func(m maker) string { return "postgres://app:⟦" + m.an(12) + "⟧@db:5432/x" },
	"mongodb url":   func(m maker) string { return "mongodb+srv://app:⟦" + m.an(12) + "⟧@c.mongodb.net/" },
	"redis url":     func(m maker) string { return "redis://:⟦" + m.an(12) + "⟧@cache:6379/0" },
	"git url":       func(m maker) string { return "https://user:⟦" + m.an(20) + "⟧@example.org/x.git" },
	"jdbc":          func(m maker) string { return "jdbc:postgresql://db/x?user=app&password=⟦" + m.an(12) + "⟧" },
	"odbc":          func(m maker) string { return "Server=db;Database=x;User Id=app;Pwd=⟦" + m.an(12) + "⟧;" },
	"ado":           func(m maker) string { return "Server=db;User ID=app;Password=⟦" + m.an(12) + "⟧;Encrypt=yes" },
	"pgpassword":    func(m maker) string { return "PGPASSWORD=⟦" + m.low(10) + "⟧ psql -h db" },
	"mysql":         func(m maker) string { return "mysql -u root -p⟦" + m.low(10) + "⟧ x" },
	"sshpass":       func(m maker) string { return "sshpass -p ⟦" + m.low(10) + "⟧ ssh db" },
	"curl":          func(m maker) string { return "curl -u app:⟦" + m.low(10) + "⟧ http://localhost/" },
	"a flag":        func(m maker) string { return "deploy --password=⟦" + m.low(10) + "⟧ --verbose" },
	"a flag, apart": func(m maker) string { return "deploy --api-token ⟦" + m.an(24) + "⟧ --verbose" },
	"yaml":          func(m maker) string { return "  password: ⟦" + m.low(10) + "⟧" },
	"json":          func(m maker) string { return `{"dbPassword":"⟦` + m.low(10) + `⟧","port":1}` },
	"json in json":  func(m maker) string { return `"{\"client_secret\":\"⟦` + m.low(20) + `⟧\"}"` },
	"python":        func(m maker) string { return "os.environ['SECRET_KEY'] = '⟦" + m.low(20) + "⟧'" },
	"rails":         func(m maker) string { return "SECRET_KEY_BASE=⟦" + m.hex(128) + "⟧" },
	"django":        func(m maker) string { return "SECRET_KEY = 'django-insecure-⟦" + m.an(50) + "⟧'" },
	"netrc":         func(m maker) string { return "machine example.org login app password ⟦" + m.low(10) + "⟧" },
	"pgpass":        func(m maker) string { return "db.example.org:5432:x:app:⟦" + m.low(10) + "⟧" },
	"shadow":        func(m maker) string { return "root:$6$⟦" + m.an(16) + "$" + m.an(86) + "⟧:19000:0:99999:7:::" },
	"bcrypt":        func(m maker) string { return "admin:$2y$⟦10$" + m.an(53) + "⟧" },
	"rsa": func(m maker) string {
		return "-----BEGIN RSA PRIVATE KEY-----\n⟦" + m.b64(48) + "\n" + m.b64(48) + "⟧\n-----END RSA PRIVATE KEY-----"
	},
	"openssh": func(m maker) string {
		return "-----BEGIN OPENSSH PRIVATE KEY-----\n⟦" +
			m.b64(52) + "\n" + m.b64(52) + "⟧\n-----END OPENSSH PRIVATE KEY-----"
	},
	"pem in json": func(m maker) string {
		return `"private_key": "-----BEGIN PRIVATE KEY-----\n⟦` +
			m.b64(48) + `\n` + m.b64(48) + `⟧\n-----END PRIVATE KEY-----\n"`
	},
	"pgp": func(m maker) string {
		return "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n⟦" +
			m.b64(48) + "\n" + m.b64(48) + "⟧\n-----END PGP PRIVATE KEY BLOCK-----"
	},
	"putty": func(m maker) string {
		return "Private-Lines: 2\n⟦" + m.b64(48) + "\n" + m.b64(48) + "⟧\nPrivate-MAC: " + m.hex(40)
	},
	"age": func(m maker) string {
		return "⟦AGE-SECRET-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58) + "⟧"
	},
	"wireguard": func(m maker) string { return "PrivateKey = ⟦" + m.b64(32) + "⟧" },
	"otp":       func(m maker) string { return "otpauth://totp/x?secret=⟦" + m.of(upper+"234567", 32) + "⟧&issuer=x" },
	"kube":      func(m maker) string { return "    client-key-data: ⟦" + m.b64(120) + "⟧" },
	"mnemonic":  func(m maker) string { return `MNEMONIC="⟦` + strings.Repeat("word ", 11) + `word⟧"` },
	"ethereum":  func(m maker) string { return "PRIVATE_KEY=⟦0x" + m.hex(64) + "⟧" },
	"firebase":  func(m maker) string { return "key=⟦AAAA" + m.of(url64, 7) + ":APA91b" + m.of(url64, 134) + "⟧" },
	"jenkins":   func(m maker) string { return "JENKINS_API_TOKEN=⟦11" + m.hex(32) + "⟧" },
	"algolia":   func(m maker) string { return "X-Algolia-API-Key: ⟦" + m.hex(32) + "⟧" },
	"openshift": func(m maker) string { return "oc login --token=⟦sha256~" + m.of(url64, 43) + "⟧" },
	"kafka": func(m maker) string {
		return `sasl.jaas.config=x required username="app" password="⟦` + m.low(12) + `⟧";`
	},
	"ngrok":            func(m maker) string { return "ngrok add-authtoken ⟦" + m.an(27) + "_" + m.an(21) + "⟧" },
	"elevenlabs":       func(m maker) string { return "xi-api-key: ⟦sk_" + m.hex(48) + "⟧" },
	"deepgram":         func(m maker) string { return "Authorization: Token ⟦" + m.hex(40) + "⟧" },
	"token in a url":   func(m maker) string { return "https://x.example.org/?access_token=⟦" + m.an(30) + "⟧&x=1" },
	"a password asked": func(m maker) string { return "Your temporary password: ⟦" + m.an(12) + "⟧" },
	"tfvars":           func(m maker) string { return `db_password = "⟦` + m.low(12) + `⟧"` },
	"go":               func(m maker) string { return `const apiKey = "⟦` + m.an(32) + `⟧"` },
	"env in docker":    func(m maker) string { return "docker run -e DB_PASS=⟦" + m.low(10) + "⟧ x" },
	"ini":              func(m maker) string { return "secret=⟦" + m.low(16) + "⟧" },
	"smtp":             func(m maker) string { return "SMTP_PASS: ⟦" + m.low(16) + "⟧" },
	"rabbit":           func(m maker) string { return "amqp://guest:⟦" + m.low(10) + "⟧@mq//" },
	"asana":            func(m maker) string { return "ASANA_PAT=⟦1/" + m.of(digits, 16) + ":" + m.hex(32) + "⟧" },
	"clerk":            func(m maker) string { return "CLERK_SECRET_KEY=⟦sk_test_" + m.an(40) + "⟧" },
	"launchdarkly":     func(m maker) string { return "⟦sdk-" + m.uuid() + "⟧" },
	"snyk":             func(m maker) string { return "SNYK_TOKEN=⟦" + m.uuid() + "⟧" },
	"buildkite":        func(m maker) string { return "⟦bkua_" + m.hex(40) + "⟧" },
	"zapier": func(m maker) string {
		return "https://hooks.zapier.com/hooks/catch/⟦" + m.of(digits, 7) + "/" + m.low(7) + "⟧/"
	},
}

// secretOf parts a line of kinds: the line, and the secret in it.
func secretOf(marked string) (line, secret string) {
	before, rest, _ := strings.Cut(marked, "⟦")
	secret, after, _ := strings.Cut(rest, "⟧")
	return before + secret + after, secret
}

// leaks reports whether enough of a secret is left in a text to be of use: a third of it, beside what names its
// issuer.
func leaks(text, secret string) bool {
	most := max(4, len(secret)/3)
	for i := 0; i+most < len(secret); i++ {
		if strings.Contains(text, secret[i:i+most+1]) {
			return true
		}
	}
	return false
}

func TestKindsOfCredentialsAreMasked(t *testing.T) {
	t.Parallel()
	if len(kinds) < 150 {
		t.Errorf("only %d kinds", len(kinds))
	}
	missed := map[string]int{}
	tries := 0
	for name, makes := range kinds {
		for seed := range uint64(5) {
			line, secret := secretOf(makes(maker{rand.New(rand.NewPCG(seed, 7))}))
			tries++
			if masked := Mask(line); leaks(masked, secret) {
				missed[name]++
				if missed[name] == 1 {
					t.Logf("%s: %q is masked as %q", name, line, masked)
				}
			}
		}
	}
	n := 0
	for _, times := range missed {
		n += times
	}
	t.Logf("%d kinds, %d of %d missed", len(kinds), n, tries)
	if n*100 > tries*2 {
		t.Errorf("%d of %d credentials are not masked: %v", n, tries, fmt.Sprint(missed))
	}
}
