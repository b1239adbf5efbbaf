/**
 * What looks like a key by itself, and stands where keys stand: behind the name of a maker, behind
 * any name, near a word that names a secret. Names of public things are left out.
 */

import { type Frame, isReal } from "./secret_frames.ts";
import { looksRandom } from "./secret_values.ts";

const GIVES = "[\"'`\\])]{0,3}[ \\t]{0,3}(?::=|=>|[:=])[ \\t]{0,3}[\"'`]{0,2}";
/** Their names stand before keys that have no form of their own. */
const MAKERS =
  "adafruit|adobe|airtable|algolia|alibaba|aliyun|amplitude|asana|atlassian|jira|confluence|auth0|bitbucket|bittrex|" +
  "braintree|bugsnag|cloudflare|codecov|codeclimate|coinbase|confluent|contentful|coveralls|datadog|deepgram|" +
  "discord|drone|droneci|dropbox|elevenlabs|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|freshdesk|" +
  "gitea|giphy|github|gitlab|gitter|gocardless|hetzner|heroku|honeycomb|hubspot|infura|intercom|jfrog|artifactory|" +
  "jenkins|kraken|kucoin|launchdarkly|linkedin|linode|lob|logdna|logzio|loggly|mailchimp|mailgun|mandrill|mapbox|" +
  "maptiler|mattermost|meraki|messagebird|mistral|mixpanel|netlify|newrelic|new_relic|nytimes|okta|onesignal|" +
  "openai|openweather|opsgenie|pagerduty|papertrail|paypal|plaid|postmark|pusher|rapidapi|razorpay|recaptcha|" +
  "rollbar|scaleway|segment|sendbird|sendgrid|sentry|shodan|slack|snyk|spotify|squarespace|square|statuspage|" +
  "stripe|sumologic|supabase|telegram|telnyx|travis|trello|twilio|twitch|twitter|typeform|unsplash|upstash|vercel|" +
  "virustotal|vonage|vultr|wakatime|yandex|zendesk|zoho|zoom";
/** The last word of a name: what it names is public, or a thing. */
const THINGS = new Set(
  ("id ids arn url uri urn host hostname name user username email project org team region sha hash sum digest etag md5 " +
    "integrity commit rev revision ref version tag build release image file filename path dir src href link cert " +
    "certificate fingerprint verification signature nonce iv cursor after before next page pagination continuation trace " +
    "traceid span spanid request req content body data text payload blob base64 thumbnail icon logo font hint " +
    "public publickey pubkey pub site sitekey publishable anon address addr contract account wallet txid tx " +
    "transaction block peer cid node class classname selector slug video playlist model type format pattern regex " +
    "resolved dsn location x y n e mappings sources description title message summary line module chunk bundle " +
    "package dist chars alphabet charset encoding abi bytecode verkey did uuid guid ulid nanoid snapshot device " +
    "browser agent accept expires date time timestamp locale component testid key").split(" "),
);

/** Anywhere in a name. */
const MARKS = new Set("public next page continuation sync resume socket".split(" "));

function namesThing(head: string): boolean {
  const [, name = ""] =
    /([A-Za-z][\w.-]*)["'`\])]{0,3}[ \t]{0,3}(?::=|=>|[:=])[ \t"'`]*$/.exec(head) ??
      [];
  const words = name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase().split(/[_.-]/);
  const last = words.findLast((word) => /[a-z]/.test(word)) ?? "";
  return THINGS.has(last) || THINGS.has(last.replace(/\d+$/, "")) ||
    words.some((word) => MARKS.has(word));
}

/** By their beginnings: public keys, certificates, images, fonts, compiled code, source maps. */
const PUBLIC =
  /^(?:AAAA[BCE]|MII|LS0tLS1CRUdJTiBD|LS0tLS1CRUdJTiBQVUJM|iVBOR|R0lGOD|\/9j\/|UklGR|d09GM|T1RU|AGFzb|PHN2|PD94|JVBER|UEsDB|H4sI|AAAA,|sha\d|pk_|phc_|pub|sb_pub|G-|UA-|GTM-|ca-pub|Qm[1-9A-Za-z]{44}$|baf[yk])/;

/** Small letters, capitals and digits, and no words. */
const isThreefold = (value: string) =>
  /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d.*\d/.test(value) && isReal(value) &&
  looksRandom(value, 0.3) && !PUBLIC.test(value);

export const GUESSES: Frame[] = [
  // What is assigned to the name of a maker, or to any name that does not say what else it is.
  {
    what: "a key",
    hints: MAKERS.toLowerCase().split("|"),
    kind: "guess",
    form: () =>
      new RegExp(
        `((?<![A-Za-z])(?:${MAKERS})(?:[\\w .-]{0,24}${GIVES}|[ _-](?:api )?(?:token|key|secret)[ \\t]))[\\w+/=.~:-]{15,}(?![\\w/])`,
        "gi",
      ),
    isSecret: (value, head) => looksRandom(value, 0.5, 15) && !namesThing(head) && isReal(value),
  },
  {
    what: "a key",
    hints: ["=", ":"],
    kind: "guess",
    form: () =>
      new RegExp(
        `((?<![\\w/.&?-])[A-Za-z][\\w.-]{2,40}${GIVES})[\\w+/=-]{24,120}(?![\\w/.(-])`,
        "g",
      ),
    isSecret: (value, head) => isThreefold(value) && !namesThing(head),
  },
  // Near a word that names a secret: in the same command, or alone on a line below it.
  {
    what: "a key",
    hints: ["key", "token", "secret", "passw", "credential", "auth", "login"],
    kind: "guess",
    form: () =>
      /((?<![A-Za-z]|(?:public|publishable|site|next|page|continuation|socket|cache|object|idempotency|sort|partition)[ _-])(?:(?:api|access|auth)?[_-]?(?:keys?|tokens?)|secrets?|passwords?|credentials?|auth|login)(?![A-Za-z])(?:[^\n|;]{0,80}?[ \t=(,]|[^\n]{0,80}\n(?:[^\n]{0,80}\n)?[ \t│>$]{0,20})["'`]{0,2})[A-Za-z\d][\w+/=-]{19,120}(?![\w/.(:-])/gi,
    isSecret: (value, head) =>
      isThreefold(value) &&
      !/\b(?:id|ids|commit|sha\d*|hash|request|digest|public|site)\b[^\n]*$/i.test(head) &&
      (!head.includes("\n") || /\n[ \t│>$]*["'`]*$/.test(head)),
    onlyRead: true,
  },
  {
    what: "a key",
    hints: ['("', "('", "(`", '["', "['", ', "', ", '"],
    kind: "guess",
    form: () => /([([,][ \t]{0,3}["'`])[\w+/=-]{32,100}(?=["'`])/g,
    isSecret: isThreefold,
    onlyRead: true,
  },
  // A long word by itself, in a line of words: a line of its own may be of a certificate or an image.
  {
    what: "a key",
    hints: [" "],
    kind: "guess",
    form: () => /([^\s:=][ \t]+["'`(]?)[A-Za-z0-9]{40,120}(?![\w/+.=:-])/g,
    isSecret: isThreefold,
    onlyRead: true,
  },
];
