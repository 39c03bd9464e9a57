package secret

// ownRules are the rules of this package: issuers that gitleaks does not know, or knows by their length alone, and
// forms that are more than a value with a name. The first group that matched is masked; what is before it names the
// issuer.
func ownRules() []*rule {
	all := []*rule{
		// Keys of OpenAI, Anthropic and many others.
		newRule(`\b(?:sk|pk|rk)-(?:ant-|proj-|or-|live_|test_|lf-|svcacct-|admin-)?([A-Za-z0-9_-]{16,})`,
			"sk-", "pk-", "rk-"),
		newRule(`\b(?:sk|pk|rk)_(?:(?:live|test|prod|proj)_)?([A-Za-z0-9]{16,})`, "sk_", "pk_", "rk_"),
		newRule(`\b(?:gh[pousr]_|github_pat_)([A-Za-z0-9_]{20,})`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
		newRule(`\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|ffct|rtr|wt)-([A-Za-z0-9_.=-]{16,})`, "glpat-", "gldt-", "glrt-",
			"glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "glffct-", "glrtr-", "glwt-"),
		newRule(`\bxox[abceoprs](?:\.xox[abceoprs])?-([A-Za-z0-9-]{10,})`, "xox"),
		newRule(`\bxapp-([A-Za-z0-9-]{10,})`, "xapp-"),
		newRule(`\b(?:A(?:KIA|SIA|BIA|CCA)|AROA|AIDA|ANPA)([A-Z0-9]{16})\b`, "akia", "asia", "abia", "acca", "aroa", "aida", "anpa"),
		newRule(`\bAIza([A-Za-z0-9_-]{30,})`, "aiza"),
		newRule(`\b(?:ya29\.|GOCSPX-)([A-Za-z0-9_.-]{20,})`, "ya29.", "gocspx-"),
		newRule(`\b1//0([A-Za-z0-9_-]{30,})`, "1//0"),
		newRule(`\bAAAA[A-Za-z0-9_-]{7}:(APA91b[A-Za-z0-9_-]{60,})`, "apa91b"),
		// JSON web tokens, also encrypted ones.
		newRule(`\beyJ([A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_.-]*)`, "eyj"),
		// Headers.
		newRule(`(?i)\b(?:proxy-)?authorization\b["']?\s*(?:[:=,]|=>)\s*["']?(?:(?:bearer|basic|token|digest|apikey|api-key|key|`+
			`bot|ssws|negotiate|hmac-[a-z0-9]+|aws4-[a-z0-9-]+|genie-?key|sharedkey|sharedaccesssignature|oauth|pat)\s+)?`+
			`([^\s"'<$\[][^\s"']{6,})`, "authorization"),
		newRule(`(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/-]*[0-9._~+/-][A-Za-z0-9._~+/=-]{9,}|[A-Za-z0-9+/]{20,}={0,2})`, "bearer ", "basic "),
		newRule(`(?i)\b(?:set-)?cookie["']?\s*:\s*["']?[^\s=;]{1,60}=([^\s;"']{12,}(?:;\s*[^\s=;]{1,60}=[^\s;"']{12,})*)`, "cookie"),
		// Passwords in addresses, and addresses that are secrets.
		newRule(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'<>]*:([^\s/"'<>{}$][^\s/"'<>]*)@`, "://"),
		newRule(`(?i)https?://([0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]+`, "://"),
		newRule(`https?://([A-Za-z0-9_-]{20,})@`, "://"),
		newRule(`hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{16,})`, "hooks.slack"),
		newRule(`discord(?:app)?\.com/api/(?:v\d+/)?webhooks/([0-9]+/[A-Za-z0-9_-]{20,})`, "/webhooks/"),
		newRule(`\.(?:webhook\.)?office(?:365)?\.com/webhook(?:b2)?/([^\s"']{20,})`, "office"),
		newRule(`(?i)hooks\.zapier\.com/hooks/catch/([0-9a-z/]{8,})`, "hooks.zapier"),
		newRule(`(?i)hook\.(?:[a-z0-9]+\.)?(?:make|integromat)\.com/([a-z0-9]{20,})`, "hook."),
		newRule(`maker\.ifttt\.com/\S*?/key/([A-Za-z0-9_-]{16,})`, "ifttt"),
		newRule(`api\.telegram\.org/bot([0-9]+:[A-Za-z0-9_-]{30,})`, "telegram"),
		newRule(`\b[0-9]{8,10}:(A[A-Za-z0-9_-]{33,35})\b`, ":aa"),
		newRule(`(?i)/(?:hooks|webhooks?|incoming)/([a-z0-9]{24,}(?:/[a-z0-9_-]{16,})?)`, "/hook", "/webhook", "/incoming"),
		newRule(`(?i)[?&;](?:[a-z0-9_.-]*(?:token|secret|signature|password|passwd|api_?-?key|access_?key)|sig|key|code|pass|pwd|auth|`+
			`x-amz-security-token|x-amz-credential)=([^\s&"'<>#;]{6,})`, "token=", "secret=", "signature=",
			"password=", "passwd=", "key=", "sig=", "code=", "pass=", "pwd=", "auth=", "credential="),
		// Files of passwords.
		newRule(`(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S+)`, "password"),
		newRule(`^[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w.-]+:(\S{6,})$`, ":5432:", ":6432:", ":*:"),
		newRule(`\$(?:1|2[abxy]|5|6|7|y|gy|apr1|argon2(?:id?|d)|scrypt|pbkdf2-sha\d+)\$([^\s"':]{16,})`, "$1$", "$2a$", "$2b$",
			"$2x$", "$2y$", "$5$", "$6$", "$7$", "y$", "$apr1$", "$argon2", "$scrypt$", "$pbkdf2"),
		newRule(`\{S?SHA(?:256|512)?\}([A-Za-z0-9+/=]{20,})`, "sha}", "sha256}", "sha512}"),
		// Arguments of programs.
		newRule(`(?i)(?:\bcurl\b|\bhttps?\b|\bwget\b).*?\s(?:-u|--user|-a|--auth)[ =]?["']?[^\s:"']{1,60}:([^\s"']{3,})`, "curl", "http", "wget"),
		newRule(`\b(?:mysql|mysqldump|mysqladmin|mariadb|mongo|mongosh|7z|zip|unzip|sshpass|redis-cli|ldapsearch|psql)\b.*?\s-(?:p|P|a|w)[ ]?`+
			`["']?([^\s"'-][^\s"']{4,})`, "mysql", "mariadb", "mongo", "7z", "zip", "sshpass", "redis-cli", "ldapsearch"),
		newRule(`\bdocker\s+login\b.*?\s-p[ =]?["']?([^\s"']{4,})`, "docker"),
		// Keys of programs.
		newRule(`\bAGE-SECRET-KEY-1([0-9A-Z]{20,})`, "age-secret-key-"),
		newRule(`(?i)\botpauth://\S*?secret=([A-Z2-7]{8,})`, "otpauth"),
		newRule(`(?i)\b0x([0-9a-f]{64})\b`, "0x"),
		newRule(`\bxprv([1-9A-HJ-NP-Za-km-z]{80,})`, "xprv"),
	}
	said := newRule("(?i)(?:token|passw(?:or)?d|passphrase|secret|api[-_ ]?key)[\"']?\\s+(?:is\\s+|was\\s+)?"+
		"[\"'`]?([A-Za-z0-9_.~+/=-]{20,})",
		"token", "passw", "passphrase", "secret", "apikey", "api key", "api-key", "api_key")
	said.random = true
	all = append(all, said,
		newRule(`\bpat[A-Za-z0-9]{14}\.([a-f0-9]{60,})`, "pat"),
		newRule(`\baccess_token\$(?:production|sandbox)\$([0-9a-z]{16}\$[0-9a-f]{32})`, "access_token$"),
	)
	for _, expr := range []string{
		`-----? ?BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)? ?-----?` +
			`([\s\S]+?-----? ?END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)? ?-----?|[\s\S]+\z)`,
		`Private-Lines: \d+\s+([A-Za-z0-9+/=\s]+)(?:Private-MAC|\z)`,
	} {
		keys := newRule(expr, "private key", "private-lines")
		keys.whole = true
		all = append(all, keys)
	}
	// Prefixes of other issuers. What follows them is long, and no word.
	for _, prefix := range []string{
		"gsk_", "xai-", "pplx-", "r8_", "fw_", "hf_", "api_org_", "pcsk_", "tvly-", "fc-", "lsv2_pt_",
		"lsv2_sk_", "jina_", "nvapi-", "csk-", "sk_car_", "npm_", "pypi-", "rubygems_", "cio", "dckr_pat_",
		"dckr_oat_", "hvs.", "hvb.", "hvr.", "dop_v1_", "doo_v1_", "dor_v1_", "HRKU-", "dp.pt.", "dp.st.",
		"dp.ct.", "dp.sa.", "dp.scim.", "ops_", "pul-", "sntrys_", "sntryu_", "glsa_", "glc_", "hcaik_",
		"hcxik_", "NRAK-", "NRII-", "NRJS-", "lin_api_", "lin_oauth_", "ntn_", "secret_", "figd_", "figo_",
		"ATATT3x", "ATCTT3x", "ATBB", "ATOA", "SG.", "key-", "whsec_", "sq0atp-", "sq0csp-", "EAAAE", "shpat_",
		"shpss_", "shpca_", "shppa_", "PMAK-", "sdk-", "CFPAT-", "EZAK", "EZTK", "duffel_live_", "FLWSECK-",
		"FLWSECK_TEST-", "rzp_live_", "rzp_test_", "tskey-", "squ_", "sqp_", "sqa_", "CCIPAT_", "bkua_",
		"bkct_", "AKCp", "cmVmd", "nfp_", "nfc_", "nfo_", "vcp_", "vck_", "rnd_", "sbp_", "sb_secret_",
		"sb_publishable_", "pscale_tkn_", "pscale_pw_", "pscale_oauth_", "napi_", "dapi", "fo1_", "fm2_",
		"fm1r_", "FlyV1 ", "re_", "phc_", "phx_", "tk-us-", "dt0c01.", "dt0s01.", "NPBS", "sl.u.", "sl.B",
		"ico-", "lip_live_", "plt_", "EAACEdEose0cBA", "eptok_", "wandb_v1_", "sgp_", "slk_",
		"CLOJARS_", "pnu_", "rdme_xn8s9h", "shippo_live_", "shippo_test_", "sm_pat_", "sm_aat_", "sm_sat_",
		"tfp_", "v1.0-", "t1.", "AQVN", "y0_", "LTAI", "ABSK", "bedrock-api-key-", "e2b_", "mcp_", "ctx7sk-",
		"sk1-", "apify_api_", "cpk_", "cal_live_", "svix_", "testsk_", "usk_", "zpka_",
		"wak_", "xkeysib-", "xsmtpsib-", "mfa.", "oauth2:", "patch_", "pat-na1-", "pat-eu1-", "cfut_", "cfat_",
		"cfk_", "nuget_", "oy2", "b.AAAAAQ", "ddp_", "dds_", "akp_", "gAAAAA",
		"tailscale-", "cog_", "sealos_", "ctr_",
	} {
		all = append(all, prefixed(prefix))
	}
	return all
}
