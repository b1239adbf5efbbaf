import { assertEquals } from "@std/assert";
import { maskForApproval, maskSecrets } from "../lib/secrets.ts";
import { cpuMs, TOO_LONG_MS } from "./support/cpu_time.ts";

// What stands in ⟦…⟧ must be masked, the rest must stay. (So no scanner takes these for real keys.)
// deno-fmt-ignore
const SECRETS = [
  // By the prefix of the maker
  "use sk-ant-⟦api03-AAAABBBBCCCCDDDDEEEE_ff-00⟧ now", "sk-proj-⟦T3BlbkFJx8Qm2vLr9WcZ_4nK-7pYdHs⟧", "sk-svcacct-⟦9fKx2LmQ8rTzVb4N_c7WpYh3⟧",
  "sk-admin-⟦Zx8Kq2Lm9Rt4Vw7Yp3Nc⟧", "sk-or-⟦v1-4f8a2c9e7b1d6f3a5c8e0b2d4f6a8c1e⟧", "sk-⟦a8Kd92LmQx7RtZ4vWc1Np6Yh⟧", "sk_live_⟦51HabcdefGHIJKLmnop⟧",
  "rk_test_⟦4eC39HqLyjWDarjtT1zdp7dc⟧", "whsec_⟦8fK2mQx9LrT4vWzY7cNp3Hb6⟧", "ghp_⟦abcdefghijklmnopqrstuvwxyz0123456789⟧",
  "gho_⟦16C7e42F292c6912E7710c838347Ae178B4a⟧", "github_pat_⟦11ABCDEFG0kQx8Lm2Rt9Vw_7Yp3NcZ4KdHs6Bf1Jg5Ta⟧", "glpat-⟦x8Kq2Lm9Rt4Vw7Yp3NcZ⟧",
  "npm_⟦k8Qx2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5JgTa0We⟧", "pypi-⟦AgEIcHlwaS5vcmcCJDU3ZmQ5YTk4⟧", "dckr_pat_⟦8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf⟧", "hf_⟦QxLmRtVwYpNcZKdHsBfJgTaWeUiOpAsDfG⟧",
  "xoxb-⟦2048-1029384756-8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs⟧", "xapp-⟦1-A02B3C4D5E6-1029384756-8kq2lm9rt4vw7yp3⟧", "AKIA⟦IOSFODNN7EXAMPLE⟧", "AIza⟦SyD8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5JgTa0⟧",
  "ya29.⟦a0AfH6SMBx8Kq2Lm9Rt4Vw7Yp3NcZ⟧", "SG.⟦x8Kq2Lm9Rt4Vw7Yp3NcZ6K.dHs1Bf5JgTa0WeUi3OpAsDfGhJkL⟧.", "GOCSPX-⟦8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5⟧", "hvs.⟦CAESIJx8Kq2Lm9Rt4Vw7Yp3NcZ⟧",
  "dop_v1_⟦4f8a2c9e7b1d6f3a5c8e0b2d4f6a8c1e4f8a2c9e7b1d6f3a5c8e0b2d4f6a8c1e⟧", "AGE-SECRET-KEY-1⟦QYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQ8L2K⟧",
  // By their frame
  "eyJ⟦hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P⟧", "Authorization: Basic ⟦dXNlcjpwYXNzd29yZDEyMw==⟧",
  "curl https://hooks.slack.com/services/⟦T02AB3CDE/B04FG5HIJ/8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs⟧", "https://discord.com/api/webhooks/1029384756102938/⟦8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5JgTa0⟧",
  "bot 1029384756:⟦AAF8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5JgTa⟧", "postgres://user:⟦hunter2⟧@db/x", "redis://:⟦p4ssw0rd-of-redis⟧@cache:6379/0", "https://ci:⟦Xk29f!z⟧@git.example.org/r.git",
  // By their name, in whatever spelling
  'GATEWAY_TOKEN="⟦0123456789abcdef0123⟧"', "x-api-key: ⟦0123456789abcdef0123⟧", "X-Api-Key: ⟦8Kq2Lm9Rt4Vw7Yp3⟧", 'apiKey: "⟦abcd1234efgh5678ijkl⟧"',
  '{"accessToken":"⟦a1b2c3d4e5f6g7h8i9j0⟧"}', "clientSecret=⟦GfR8xQ2mLp9ZtW4vKc7Y⟧", "authToken=⟦9f8e7d6c5b4a39281706⟧&next=/home", "Token: ⟦k3Jx9QmZ2vLr8WtY⟧.", "//npm.example.org/:_authToken=⟦8f14e45f-ceea-467f-a8d1-0c1b2d3e4f5a⟧",
  "AWS_SECRET_ACCESS_KEY=⟦wJalrXUtnFEMI/K7MDENGbPxRfiCY2EXAMPLEKEY⟧", "aws_secret_access_key = ⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧", "PRIVATE_KEY=⟦0x4c0883a69102937d6231471b5dbb6204fe512961708279f1⟧", "ENCRYPTION_KEY=⟦Zk3vQ9xLm2RtWc8YpN4Kd7Hs1Bf5Jg0T=⟧",
  "SIGNING_KEY: ⟦m9Rt4Vw7Yp3NcZ6KdHs1Bf5J⟧", "APP_KEY=base64:⟦8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5JgTa0WeUi3OpAsD=⟧", "SECRET_KEY_BASE=⟦4f8a2c9e7b1d6f3a5c8e0b2d4f6a8c1e⟧", "secret=⟦JBSWY3DPEHPK3PXP⟧",
  "AccountKey=⟦Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5JgTa0WeUi3OpAsDfGhJkLzXcVbNm==⟧;EndpointSuffix=core", 'const apiKey: string = "⟦Zf3D0LXCM3EIMbgJpUNnkRtOfOueHznB⟧";', 'os.environ["API_KEY"] = "⟦8dyfuiRyqvVc3RRr_edRk-fK__JItpZ⟧"',
  '{\\"refresh_token\\": \\"⟦1a2B3c4D5e6F7g8H9i0J⟧\\"}', 'headers.set("X-Api-Key", "⟦8Kq2Lm9Rt4Vw7Yp3NcZ6⟧")', "openclaw gateway --token ⟦4f8a2c9e7b1d6f3a5c8e0b2d4f6a8c1e⟧ --port 1", "| API key | ⟦8Kq2Lm9Rt4Vw7Yp3NcZ6⟧ |",
  "Your new API key is `⟦8Kq2Lm9Rt4Vw7Yp3NcZ6⟧`.", "**Access token:** ⟦8Kq2Lm9Rt4Vw7Yp3NcZ6⟧", "The token:\n\n    ⟦8Kq2Lm9Rt4Vw7Yp3NcZ6⟧\n\nKeep it.", "<password>⟦8Kq2Lm9Rt4Vw7Yp3NcZ6⟧</password>", "token=password=⟦8Kq2Lm9Rt4Vw7Yp3NcZ6⟧",
  "Authorization: Bearer ⟦abcdef0123456789abcdef0123⟧", "Bearer ⟦AAAAAAAAAAAAAAAAAAAAAMLheAAAAAAA0uSeid8Kq2Lm9Rt4⟧", "authorization: BEARER ⟦8Kq2Lm9Rt4Vw7Yp3NcZ6⟧", "password_hash, db_password: $2b$⟦10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy⟧",
  // What people choose
  '"Password": "⟦S3cure!Passw0rd⟧"', "DB_PASSWORD=⟦Summer2024!x⟧", "DB_PASS=⟦Tr0ub4dorX3⟧", "password: '⟦Winter#2025⟧'",
];
for (const marked of SECRETS) {
  Deno.test(`maskSecrets() masks the marked part of ${JSON.stringify(marked)}`, () => {
    const text = marked.replace(/[⟦⟧]/g, "");
    assertEquals(maskSecrets(text), marked.replace(/⟦[^⟧]*⟧/, "***"));
    assertEquals(maskSecrets(maskSecrets(text)), maskSecrets(text));
  });
}

const LINES = ["Ab1+".repeat(16), "Cd2/".repeat(16), "Ef3="];
const pem = (kind: string, between: string, body: string[]) =>
  [`-----BEGIN ${kind}-----`, ...body, `-----END ${kind}-----`].join(between);
const KEYS: Record<string, [string, string[]]> = {
  "as a file": ["\n", LINES],
  "with headers": ["\n", ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B", "", ...LINES]],
  "indented": ["\n    ", LINES],
  "quoted": ["\n> ", LINES],
  "with a tab": ["\n\t", LINES],
  "in JSON": ["\\n", LINES],
  "in JSON in JSON": ["\\\\n", LINES],
  "of Windows": ["\r\n", LINES],
};
for (const [title, [between, body]] of Object.entries(KEYS)) {
  for (const kind of ["RSA PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]) {
    Deno.test(`maskSecrets() masks a ${kind} ${title}`, () => {
      const masked = maskSecrets(`"private_key": "${pem(kind, between, body)}"\nDone.`);
      const kept = `-----BEGIN ${kind}-----***${between}-----END ${kind}-----`;
      assertEquals(masked, `"private_key": "${kept}"\nDone.`);
    });
  }
}

// deno-fmt-ignore
const HARMLESS = [
  // Prose
  "the token: a short word", "password: correct horse battery staple", "Unexpected token: identifier_expected_1", "password: must-have-8-characters-min", "bearer tokens-are-described-in-rfc6750",
  "Bearer authentication/authorization middleware", "I refreshed the token (3f2a9c0d1e8b7a6f5e4d3c2b1a09f8e7d6c5b4a3).", "fix: rotate the secret\n3f2a9c0d1e8b7a6f5e4d3c2b1a09f8e7d6c5b4a3 docs: typo",
  "The password is required-and-must-be-at-least-12-characters.", "This secret was introduced-in-kubernetes-1.24 already", "token: 2024-01-15T10:30:00.000Z", "Passwords: minimum-length-is-12-characters-now.", "The API key is your-api-key-goes-here-1234",
  "begin with `-----BEGIN PRIVATE KEY-----`; fixed.\n\nMay I delete the backup?", "-----BEGIN PRIVATE KEY-----\nis the line that a key begins with, see the manual on it", "the task-runner sk-1", "token: xxxxxxxxxxxxxxxxxxxxxxxx",
  "api_key: sk-...", "ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx", "a disk-usage-report-of-2024-01-15 and risk-assessment-v2-final-draft", "ASIA-PACIFIC", "xai-user-agent-BMU4dxFn.mjs", "hf_ggml-org_embeddinggemma-300m-qat-Q8_0.gguf", "SG.configuration.of.sendgrid.v3",
  // Code
  "const token = generateToken2ForUser_abc;", "const token = generateTokenForUser2faLogin(user)", "const secret = base64UrlEncodeRandomBytes(32)", "API_KEY=process.env.API_KEY", "apiKey: process.env.OPENAI_API_KEY_V2,",
  "const a8Kd92LmQx7RtZ4vWc1Np6Yh = 1", "token: Uint8Array;", "private_key: ed25519.Ed25519PrivateKey, n: int", "import { X509Credential, X509WorkloadIdentity, Kv2TokenXmlHttpGet }", "class Secret(k8s_object.KubernetesObject):", "e.setDraft(`token`,t),onToggle:()=>e.toggleTokenVisibility2()", "secret: Base64UrlEncodedString2;", "if (token === TokenKind.CloseParen2Token) return;", "password = os.environ['DB_PASSWORD_2024']", 'token = Deno.env.get("GATEWAY_TOKEN_V2")',
  "token = k8Qx2Lm9Rt4Vw7Yp3NcZ(user)", "secret_key = aws_iam_access_key.ci2.secret", "secret_key: aws_secretsmanager_secret_v2", "token = data.aws_eks_cluster_auth.cluster2.token", 'type: "password", autocomplete: "current-password1"', "SECRET: K8S_SVC_ACCT_TKN_01",
  "sk-toggleable__control sk-estimator-doc-link", "hf_model_name_or_path", "npm_config_user_agent and npm_lifecycle_script_2", ".sk-admin-panel-sidebar-v2-wide { }", "password: src/auth/v2/password_hash.ts", "token: src/auth/v2/passwords2", "token: ./fixtures/a8f93k2d/t0k3n.txt",
  // Configuration
  "refresh_token: oauth2-refresh-token-endpoint", "SECRET=$MY_SECRET", 'apiKey: "${API_KEY_2024_PROD}"', "token: {{ .Values.gateway.token2 }}", "token: ${{ secrets.NPM_TOKEN_2024 }}", "password: <your-password-with-1-digit>", "API_KEY=%API_KEY_2024_PROD%", "secretName: tls-wildcard-example-org-2024",
  "key: value-of-an-ordinary-word-1", "cache key: node-modules-linux-x64-8f14e45fceea467fa8d10c1b2d3e4f5a", "openclaw_session_key: agent:warden:8f14e45f-ceea-467f-a8d1-0c1b2d3e4f5a", '"js-tokens": "^9.0.1"', '"@azure/keyvault-secrets": "npm:@azure/keyvault-secrets@4.8.0"', "credentials: /etc/ssl/k8s/a8f93k2d/x.pem",
  "secret: vault:secret/data/prod/database2#password", "token: v12.9.202.13-rusty", "secret: sha256-59JSuFaDwmo3ntjk8Kq2Lm9Rt4Vw7Yp3", "max_tokens: 128000", "password: changeme",
  // Logs, ids, addresses
  "commit 3f2a9c0d1e8b7a6f5e4d3c2b1a09f8e7d6c5b4a3", "session 8f14e45f-ceea-467f-a8d1-0c1b2d3e4f5a resumed", "session_id=8f14e45f-ceea-467f-a8d1-0c1b2d3e4f5a", "wake_id: 01HYFKHG5F8RHM2PM3D7NSTDAS", "integrity: sha512-59JSuFaDwmo3ntjkmQx9LrT4vWzY7cNp3Hb6==", "next: eyJpZCI6MTIzNDU2Nzg5MH0",
  '<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk">', "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5 me@host", "public key: 8Kq2Lm9Rt4Vw7Yp3NcZ6KdHs1Bf5JgTa0", "PASS src/auth2/password.test.ts (5.2 s)",
  "https://example.org:8080/path@2", "http://localhost:3000?email=joe@example.com", '["http://localhost:3000","joe@example.com"]', "https://user:${TOKEN}@github.com", "https://user:$TOKEN@github.com", "https://user:<token>@github.com", "https://user:password@host", "postgres://postgres:postgres@localhost/db",
  "npm:@openclaw/sdk-for-agents@2.1.0", "docker pull ghcr.io/acme/token-service@sha256:8f14e45fceea467fa8d10c1b2d3e4f5a",
];
for (const text of HARMLESS) {
  Deno.test(`maskSecrets() leaves ${JSON.stringify(text)} as it is`, () => {
    assertEquals(maskSecrets(text), text);
  });
}

// Patterns that are tried anew at every character once took seconds for some of these.
const ENDLESS: Record<string, string> = {
  "tokens without an end": "eyJhbGciOi-".repeat(20_000),
  "parts of tokens": "eyJhbGciOiJIUz.".repeat(15_000),
  "names without a value": "TOKEN=".repeat(40_000),
  "names in lower case": "token:".repeat(40_000),
  "names and quotes": 'token:"'.repeat(30_000),
  "names in a quote": 'token:"' + "password:".repeat(25_000),
  "names with values": "token: identifier_expected_1 ".repeat(7_000),
  "names with secrets": "token: 8Kq2Lm9Rt4Vw7Yp3NcZ6 ".repeat(8_000),
  "names and blanks": ("token" + " ".repeat(30)).repeat(6_000),
  "options": "--token-".repeat(25_000),
  "one value": "token=" + "a1B2".repeat(50_000),
  "one value of dots": "token=a1" + ".".repeat(200_000),
  "one prefix of dots": "sk-a1" + ".".repeat(200_000) + "x",
  "prefixes": "sk-".repeat(70_000),
  "dashes": "-".repeat(200_000),
  "dashes of keys": "-----BEGIN ".repeat(20_000),
  "blanks": " ".repeat(300_000),
  "blank lines": " \n".repeat(100_000),
  "addresses without an end": "://a:".repeat(40_000) + "@",
  "addresses": "@://abcdefgh:abcdefgh".repeat(10_000),
  "keys that only begin": "-----BEGIN PRIVATE KEY-----\n".repeat(10_000),
  "a key of blank lines": "-----BEGIN PRIVATE KEY-----" + "\n ".repeat(100_000),
  "a key without an end": "-----BEGIN PRIVATE KEY-----" + ("\n" + "Ab1+".repeat(16)).repeat(3_000),
  "one word": "A1".repeat(150_000),
  "letters": "a".repeat(1_000_000),
  "keys of keys": "key=".repeat(100_000),
  "base64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYA/+AfFcSJ".repeat(20_000),
  "lines of base64": ("Ab1+".repeat(19) + "\n").repeat(8_000),
  "prefixes of paths": "/sk-a1B2".repeat(40_000),
  "prefixes of lines": "sk-a8Kd92LmQ\n".repeat(20_000),
  "lines of a token": "token: " + "a8Kd92LmQ\n".repeat(30_000),
  "short words": "pat s. re_ SK key-".repeat(15_000),
  "placeholders": "password=" + "username".repeat(20_000),
  "names of placeholders": "password=usernameusernameusername! ".repeat(8_000),
  "programs": "mysql curl sshpass redis-cli docker login ".repeat(6_000),
  "programs with options": "curl -x -y -z -v -k ".repeat(12_000),
  "cookies": "cookie: " + "a=b; ".repeat(50_000),
  "names of cookies": "cookie: a=b; sess".repeat(15_000),
  "queries": "?key=&sig=".repeat(25_000),
  "phrases": "seed: " + "abandon ".repeat(30_000),
  "many phrases": "seed phrase: ab cd ".repeat(12_000),
  "boxes": "│ token: │\n".repeat(20_000),
  "frames and blanks": "ghp_a8Kd92LmQ" + " ".repeat(200_000) + "│",
  "names of values": 'token", "value'.repeat(12_000),
  "titles": "password \n".repeat(20_000),
  "addresses of tokens": "://a8Kd92LmQx7RtZ4vWc1N".repeat(10_000) + "@",
  "statements": "user a password ".repeat(14_000),
  "hashes of passwords": "$6$a".repeat(50_000),
  "heads of tables": "a,password\n".repeat(10_000),
  "passwords of Terraform": '"random_password" '.repeat(8_000),
  "statements with values": "insert into pass values ,".repeat(10_000),
  "numbered lines of a key": "-----BEGIN PRIVATE KEY-----\n1: A8 ".repeat(8_000),
  "marks of a network": "WIFI:a;".repeat(30_000),
  "addresses of hooks": "hooks.slack.com/a/".repeat(12_000),
  "users and passwords": "user: a, password: ".repeat(12_000),
  "options in quotes": "sshpass -p '".repeat(18_000),
  "users without a password": "-u a -b c ".repeat(12_000),
};
for (const [title, text] of Object.entries(ENDLESS)) {
  Deno.test(`masking is soon done with ${title}`, () => {
    const took = cpuMs(() => {
      maskSecrets(text);
      maskForApproval(text);
    });
    assertEquals(took < TOO_LONG_MS, true, `${took} ms`);
  });
}
