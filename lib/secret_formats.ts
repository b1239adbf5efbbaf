/** The forms of keys and tokens that are known by themselves: by the maker's prefix, or by a frame. */

import { looksDrawn, looksRandom, runEnd, runFrom, type Secret } from "./secret_values.ts";

/** What a secret is, its prefixes, and what follows them. */
type Format = [what: string, prefixes: string, body?: string];

/**
 * Prefixes that no word begins with. Without a body of their own, 16 or more letters, digits, `_`
 * and `-` follow.
 */
const FORMATS: Format[] = [
  ["a web token", "eyJ", "[\\w-]{10,}(?:\\.{1,2}[\\w-]{10,}){2,4}"],
  ["a Grafana key", "eyJrIjoi", "[A-Za-z0-9]{40,}={0,2}"],
  ["an Anthropic key", "sk-ant-"],
  ["an OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None- sess-", "[\\w-]{20,}"],
  ["an API key", "sk-or- sk-lf- sk_org_ sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_"],
  ["an API key", "sk- csk-", "[A-Za-z0-9][\\w-]{18,}"],
  ["an API key", "sk_", "[0-9a-f]{32,}|[A-Za-z0-9]{40,}"],
  ["a webhook secret", "whsec_", "[\\w+/=-]{16,}"],
  ["a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", "[\\w.-]{16,}"],
  ["a GitHub token", "github_pat_"],
  [
    "a GitLab token",
    "glpat- gldt- glrt- glrtr- glft- glsoat- glcbt- glptt- glagent- glimt- glffct- gloas- glwt-",
    "[\\w.-]{16,}",
  ],
  ["a GitLab token", "GR1348941"],
  ["a Bitbucket password", "ATBB", "[A-Za-z0-9]{20,}(?:[0-9A-F]{8})?"],
  ["an Atlassian token", "ATATT3 ATCTT3 ATSTT3 ATTA", "[\\w=-]{24,}"],
  ["the secret of a wake", "q- p- f-", "[0-9A-Z]{16}\\.[0-9A-Z]{20}(?![\\w-]|\\.\\w)"],
  ["an npm token", "npm_ npms_", "[A-Za-z0-9]{30,}"],
  ["a PyPI token", "pypi-", "[\\w-]{24,}"],
  [
    "a package registry's token",
    "rubygems_ CLOJARS_ cio oy2",
    "[0-9a-f]{40,}|[A-Za-z0-9]{32}(?![A-Za-z0-9])|[a-z0-9]{43}",
  ],
  ["an Artifactory key", "AKCp cmVmdGtu", "[A-Za-z0-9]{40,}"],
  ["a Docker token", "dckr_pat_ dckr_oat_"],
  ["a Hugging Face token", "hf_ api_org_", "[A-Za-z0-9]{30,}"],
  ["a key of an AI service", "nvapi- tgp_v1_ jina_ lsv2_ pcsk_ hcaik_ wandb_v1_", "[\\w-]{20,}"],
  ["a key of an AI service", "gsk_ xai- pplx- r8_ fw_ rpa_ e2b_", "[A-Za-z0-9]{20,}"],
  ["a key of an AI service", "tvly- fc- crsr_", "(?:dev-|prod-)?[A-Za-z0-9]{24,}"],
  [
    "a Slack token",
    "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp- xapp-",
    "[\\w%.-]{16,}",
  ],
  ["a Discord token", "MT Mj Mz ND NT Nj Nz OD OT", "[\\w-]{20,26}\\.[\\w-]{6}\\.[\\w-]{27,40}"],
  ["an AWS key", "AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}(?![A-Za-z0-9])"],
  ["an AWS session token", "IQoJb3JpZ2luX2Vj FwoGZXIvYXdz FQoGZXIvYXdz", "[\\w+/=%-]{40,}"],
  ["an AWS Bedrock key", "ABSK bedrock-api-key-", "[\\w+/=-]{60,}"],
  ["a Google key", "AIza", "[\\w-]{30,}"],
  ["a Google token", "ya29. GOCSPX- 1//0 4/0A", "[\\w.-]{20,}"],
  ["a key of a cloud", "LTAI AKID", "[A-Za-z0-9]{12,}"],
  ["a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "[0-9a-f]{32,}"],
  ["a Cloudflare token", "cfut_ cfat_ cfk_ v1.0-", "[A-Za-z0-9-]{40,}"],
  [
    "a token of a host",
    "nfp_ nfo_ nfc_ nfb_ nfu_ rnd_ napi_ npg_ vcp_ vci_ vca_ vcr_ vck_ ddp_ ddo_ ddw_",
    "[A-Za-z0-9]{12,}",
  ],
  ["a token of a host", "fo1_ fm1r_ fm1a_ fm2_ HRKU-", "[\\w+/=-]{30,}"],
  [
    "a database password",
    "sbp_ sb_secret_ pscale_tkn_ pscale_pw_ pscale_oauth_ sbp_v0_",
    "[\\w.-]{16,}",
  ],
  ["a Databricks token", "dapi dkea dose", "[0-9a-f]{32}"],
  [
    "a Stripe-like key",
    "rzp_live_ rzp_test_ pdl_live_ pdl_sdbx_ shippo_live_ shippo_test_ FLWSECK- FLWSECK_TEST- EZAK EZTK duffel_live_ duffel_test_",
    "[\\w-]{12,}",
  ],
  ["a Square token", "sq0atp- sq0csp-", "[\\w-]{22,}"],
  ["a Square token", "EAAA", "[\\w-]{50,}"],
  ["a Plaid token", "access-production- access-sandbox- access-development-", "[0-9a-f-]{36}"],
  ["a Shopify token", "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_"],
  [
    "a mail service's key",
    "key- re_ xkeysib- xsmtpsib- mlsn.",
    "[0-9a-f]{32,}(?:-[A-Za-z0-9]{16})?|[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}|[A-Za-z0-9]{32}",
  ],
  ["a SendGrid key", "SG.", "[\\w-]{16,}\\.[\\w-]{16,}"],
  [
    "a monitoring service's key",
    "NRAK- NRII- NRIQ- NRRA- NRSP- sntrys_ sntryu_ sntrya_ glsa_ glc_ dt0c01. dt0s01. dt0s16. hcbik hcxik_ hcxmk_ hcalk_ phx_ phs_",
    "[\\w.+/=-]{16,}",
  ],
  ["a Vault token", "hvs. hvb. hvr.", "[\\w.-]{16,}"],
  ["a Vault token", "s.", "(?=[A-Za-z]*\\d)[A-Za-z0-9]{24}(?![\\w.])"],
  [
    "a token of an infrastructure service",
    "pul- tskey- ops_eyJ dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
    "[\\w.-]{20,}",
  ],
  ["a 1Password key", "A3-", "[A-Z0-9]{6}-[A-Z0-9]{5,6}(?:-[A-Z0-9]{5}){3,4}"],
  ["an age key", "AGE-SECRET-KEY-1 AGE-PLUGIN-", "[A-Z0-9-]{20,}"],
  ["a Notion token", "ntn_ secret_", "[A-Za-z0-9]{40,}"],
  ["a Linear key", "lin_api_ lin_oauth_ lin_wh_"],
  ["an Airtable token", "pat", "[A-Za-z0-9]{14}\\.[0-9a-f]{40,}"],
  ["a HubSpot token", "pat-", "[a-z]{2}\\d-[0-9a-f-]{32,36}"],
  [
    "a token of a web service",
    "figd_ figo_ figu_ CFPAT- CCIPAT_ CCIPRJ_ bkua_ bkaa_ bkct_ PMAK- PMAT- tfp_ fio-u- pnu_ rdme_ ico- sgp_ sm_pat_ sm_aat_ sqp_ squ_ sqa_ secret-live- secret-test- signkey-prod- signkey-test- tr_pat_ tr_prod_ tr_dev_ bb_live_ apify_api_ waka_ gitpod_pat_ mfa. tk-us- vercel_blob_rw_",
    "[\\w.-]{16,}",
  ],
  ["a ClickUp token", "pk_", "\\d{5,}_[A-Z0-9]{32}"],
  [
    "a LaunchDarkly key",
    "sdk- api-",
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  ],
  ["a Mapbox token", "sk.eyJ", "[\\w-]{20,}\\.[\\w-]{16,}"],
  ["a Dropbox token", "sl. sl.u.", "[\\w-]{60,}"],
  ["an OpenShift token", "sha256~", "[\\w-]{40,}"],
  ["a Facebook token", "EAAC EAAB EAAG EAAM", "[A-Za-z0-9]{60,}"],
  ["a Facebook token", "EAA", "[A-Za-z0-9]{100,}"],
  ["a key of a wallet", "xprv yprv zprv tprv", "[A-Za-z0-9]{100,}"],
  ["a key of a wallet", "nsec1", "[a-z0-9]{58}(?!\\w)"],
  ["a key of an AI service", "pa-", "[\\w-]{43}(?![\\w-])"],
  ["a Google key", "AQ.", "[\\w-]{40,}"],
  ["a Fernet token", "gAAAAA", "[\\w-]{60,}={0,2}"],
  [
    "a Lob key",
    "live_ test_",
    "[0-9a-f]{35}(?![\\w])|[A-Za-z0-9]{30}(?!\\w)|\\d{6,}_[A-Za-z0-9]{20,}",
  ],
  ["a Twilio key", "SK", "[0-9a-f]{32}(?![\\w])"],
  ["an Adyen key", "AQE", "[a-z][\\w+/=.-]{40,}"],
  ["a key of a cloud", "A3T", "[A-Z0-9]{17}(?![A-Za-z0-9])"],
  ["a key of a cloud", "AQVN YC AKLT", "[\\w-]{35,60}"],
  ["a key of a cloud", "t1.9eu", "[\\w-]{20,}={0,2}\\.[\\w-]{40,}"],
  ["a key of a cloud", "y0_ y1_ y2_ y3_ ucat_ CCDB1_ aivenv1", "[\\w-]{30,}"],
  ["a ClickHouse key", "4b1d", "[A-Za-z0-9]{38}(?!\\w)"],
  [
    "an Authress key",
    "sc_ ext_ scauth_ authress_",
    "[\\w-]{5,30}\\.[\\w-]{4,6}\\.acc[_-][\\w-]{10,32}\\.[\\w+/=-]{30,}",
  ],
  ["a Zoho token", "1000.", "[0-9a-f]{32}\\.[0-9a-f]{32}"],
  ["a Harness key", "pat. sat.", "[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}"],
  ["a session cookie", "CfDJ8", "[\\w-]{40,}"],
  ["a password of a registry", "eyJhdXRocyI6", "[\\w+/=-]{20,}"],
  ["a secret of Jenkins", "AQAAABAAAA", "[A-Za-z0-9+/=]{20,}"],
  ["a SAML answer", "PHNhbWxw PD94bWwg", "[\\w+/=%]{200,}"],
  ["a keystore", "/u3+7Q", "[A-Za-z0-9+/=]{40,}"],
  ["a web token", "ZXlK", "[\\w+/=-]{60,}"],
  ["an Octopus key", "API-", "[A-Z0-9]{26,40}(?![A-Za-z0-9])"],
  [
    "a token of a web service",
    "p8e- aio_ NRJS- dnkey- sm_sat_ xaat- xapt- ovsxat_ polar_oat_ polar_pat_ pina_ persona_production_ persona_sandbox_ samsara_api_ vtwn_ zpka_ xnd_production_ xnd_development_ Mid-server- llx- xau_ lip_ lmb_ lma_ ptr_ tss_ ctp_ rootly_ ion_ dvc_server_ cal_live_ essu_ api_live. api_sandbox. secret-token: ATOM_ gsk- m0- sct_live_ sct_test_ BSA",
    "[\\w.-]{20,}",
  ],
  ["an intra token", "s-s4t2ud- s-s4t2af-", "[0-9a-f]{40,}"],
  ["a WooCommerce key", "cs_ ck_", "[0-9a-f]{40}(?!\\w)"],
  ["a Rancher token", "token-", "[a-z0-9]{5}:[a-z0-9]{50,}"],
  ["a Backblaze key", "K00", "\\d[\\w+/]{27}(?![\\w+/])"],
];

/** How long the rest of some tokens is: where a line breaks one, the end is known. */
const LENGTHS: Record<string, number> = {
  ...{
    ghp_: 36,
    gho_: 36,
    ghu_: 36,
    ghs_: 36,
    ghr_: 36,
    github_pat_: 82,
    "glpat-": 20,
    npm_: 36,
    AIza: 35,
    hf_: 34,
  },
  ...{
    AKIA: 16,
    ASIA: 16,
    gsk_: 52,
    r8_: 37,
    dop_v1_: 64,
    "pplx-": 48,
    figd_: 40,
    shpat_: 32,
    dapi: 32,
    lin_api_: 40,
  },
};

interface SecretFormat {
  what: string;
  body: RegExp;
  length?: number;
}

/** By their first two characters, the longest prefix first: `sk-ant-` is not `sk-`. */
const makePrefixes = () => {
  const all = FORMATS.flatMap(([what, prefixes, form = "[\\w-]{16,}"]) =>
    prefixes.split(" ").map((prefix) => ({ prefix, what, form }))
  ).sort((a, b) => b.prefix.length - a.prefix.length);
  return Map.groupBy(all, ({ prefix }) => prefix.slice(0, 2));
};
let made: ReturnType<typeof makePrefixes> | undefined;
const bodies = new Map<string, RegExp>();

/** A text without such a run holds none of the forms. */
const LONG_RUN = /[\w+/=.~%-]{16,}/g;

/**
 * Where a prefix ends, and what may follow it, in the order of the text. Only long runs are looked
 * at: one pattern of all prefixes would be slow to compile and to run.
 */
function* prefixesIn(text: string): Generator<{ at: number; format: SecretFormat }> {
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    // A word begins inside it, too; behind \n of a JSON text, or %20 of an address, as behind a blank.
    for (const { index: at } of run.matchAll(/^|(?<=[/+=~]|(?:^|\W)\.|%[\dA-F]{2})/g)) {
      const isEscape = at === 0 && /[nrt]/.test(run[0]!) && text[index - 1] === "\\";
      const found = prefixAt(text, index + at) ??
        (isEscape ? prefixAt(text, index + 1) : undefined);
      if (found !== undefined) yield found;
    }
  }
}

function prefixAt(text: string, at: number): { at: number; format: SecretFormat } | undefined {
  made ??= makePrefixes();
  const found = made.get(text.slice(at, at + 2))?.find(({ prefix }) => text.startsWith(prefix, at));
  if (found === undefined) return undefined;
  const { prefix, what, form } = found;
  const body = bodies.get(form) ?? new RegExp(`^(?:${form})`);
  bodies.set(form, body);
  return { at: at + prefix.length, format: { what, body, length: LENGTHS[prefix] } };
}

export function* prefixed(text: string): Generator<Secret> {
  let done = 0;
  for (const { at, format } of prefixesIn(text)) {
    if (at < done) continue;
    const parts = runFrom(text, at, format.length);
    const body = format.body.exec(parts.text)?.[0] ?? "";
    const token = body.replace(/[.]+$/, "");
    if (token === "" || !looksDrawn(token)) continue;
    const found = parts.upTo(token.length);
    const last = found.at(-1)!;
    if (token.length >= 2000) last.end = runEnd(text, last.end);
    const { what } = format;
    for (const part of found) yield { ...part, what, kind: "format", isRest: part !== found[0] };
    done = last.end;
  }
}

/** `acme_live_8Kq2…`: short words, then a long run that is no word. */
const PREFIX_OF_ANY =
  /(?<![\w./+@=-])(?!sha\d|pk_|phc_|pub|md5|diff-|(?:dpl|prj|team|user|usr|org|acct|cus|sub|pi|ch|in|evt|price|prod|req|msg|toolu|run|thread|resp|asst|file|chatcmpl|inv|ord|txn)[_-])[a-z][a-z\d]{1,9}(?:[_-][a-z\d]{1,8})*[_-]$/;

export function* ofUnknownMakers(text: string): Generator<Secret> {
  for (const { 0: body, index: start } of text.matchAll(/[A-Za-z0-9]{32,}/g)) {
    const end = start + body.length;
    if (
      !/[_-]/.test(text[start - 1] ?? "") || /[\w/+.=-]/.test(text[end] ?? "") || body.length > 100
    ) continue;
    const isMixed = /[a-z]/.test(body) && /[A-Z]/.test(body) && /\d/.test(body);
    if (!isMixed || !PREFIX_OF_ANY.test(text.slice(Math.max(0, start - 30), start))) continue;
    if (looksRandom(body, 0.4)) yield { start, end, what: "a key", kind: "format" };
  }
  // Shorter, or all in lower case, where the prefix says what it is: `acme_sk_…`, `ctx7sk-…`
  for (const { 0: run, 1: prefix, 2: body, index } of text.matchAll(SAID_PREFIX)) {
    if (!looksRandom(body!, 0.4) || !/\d.*\d/.test(body!)) continue;
    const start = index + prefix!.length;
    yield { start, end: index + run.length, what: "a key", kind: "format" };
  }
}

const SAID_PREFIX =
  /(?<![\w./+@=-])(?!pk_|phc_|pub)([a-z][a-z\d]{0,11}[_-]?(?:[a-z\d]{1,8}[_-]){0,2}(?:live|prod|production|secret|sk|pat|apikey|api|token|tok|key)[_-](?:v\d[_-])?)([A-Za-z0-9]{20,100}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w/+.=-])/g;
