// Made-up secrets of every kind that redaction names, and the places in which they occur. They are generated here, so that no file contains
// one.

/** The same letters on every run. */
export function letters(alphabet: string, length: number, seed = 7): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return alphabet.charAt((state >> 8) % alphabet.length);
  }).join('');
}
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';
let seed = 11;
const of = (alphabet: string, length: number) => letters(alphabet, length, seed++);
const an = (length: number) => `a1B${of(upper + lower + digits, length - 3)}`;
const hex = (length: number) => `a1${of('0123456789abcdef', length - 2)}`;
const low = (length: number) => `k7${of(lower + digits, length - 2)}`;
const up = (length: number) => `K7${of(upper + digits, length - 2)}`;
const num = (length: number) => of('123456789', length);
const b64 = (length: number) => `x9A${of(`${upper}${lower}${digits}+/`, length - 4)}Q`;
const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
const pem = (kind: string, body = b64(640)) =>
  `-----BEGIN ${kind}-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END ${kind}-----`;
const password = () => `Tr0ub-${of(lower, 4)}&${num(2)}`;

export interface Shape {
  readonly kind: string;
  readonly secret: string;
  /** The surrounding text; `%` is the secret. Without it, the secret is recognisable by itself. */
  readonly around?: string;
}

const bare: readonly (readonly [string, string])[] = [
  ['AWS access key', `AKIA${of(`${upper}234567`, 16)}`],
  ['AWS access key', `ASIA${of(`${upper}234567`, 16)}`],
  ['AWS session token', `IQoJb3JpZ2luX2Vj${b64(300)}==`],
  ['AWS session token', `FwoGZXIvYXdzE${b64(300)}`],
  ['AWS Bedrock key', `ABSKQmVkcm9ja0FQSUtleS${b64(90)}`],
  ['Anthropic key', `sk-ant-api03-${an(93)}AA`],
  ['Anthropic key', `sk-ant-oat01-${an(80)}`],
  ['Anthropic key', `sk-ant-admin01-${an(93)}AA`],
  ['OpenRouter key', `sk-or-v1-${hex(64)}`],
  ['OpenAI key', `sk-${an(20)}T3BlbkFJ${an(20)}`],
  ['OpenAI key', `sk-proj-${an(74)}T3BlbkFJ${an(74)}`],
  ['OpenAI key', `sk-svcacct-${an(48)}`],
  ['API key', `sk-${hex(32)}`],
  ['GitHub token', `ghp_${an(36)}`],
  ['GitHub token', `gho_${an(36)}`],
  ['GitHub token', `ghu_${an(36)}`],
  ['GitHub token', `ghs_${an(36)}`],
  ['GitHub token', `ghr_${an(36)}`],
  ['GitHub token', `github_pat_${an(22)}_${an(59)}`],
  ['GitLab token', `glpat-${an(20)}`],
  ['GitLab token', `glrt-${an(20)}`],
  ['GitLab token', `gldt-${an(20)}`],
  ['GitLab token', `glptt-${hex(40)}`],
  ['GitLab token', `GR1348941${an(20)}`],
  ['npm token', `npm_${an(36)}`],
  ['Slack token', `xoxb-${num(12)}-${num(12)}-${an(24)}`],
  ['Slack token', `xoxp-${num(12)}-${num(12)}-${num(12)}-${hex(32)}`],
  ['Slack token', `xapp-1-${up(11)}-${num(12)}-${hex(64)}`],
  ['Slack token', `xoxe.xoxp-1-${up(160)}`],
  ['Google key', `AIza${an(35)}`],
  ['Google OAuth token', `ya29.a0${an(150)}`],
  ['Google OAuth token', `ya29.c.${an(120)}`],
  ['Google OAuth token', `1//0${an(60)}`],
  ['Google OAuth secret', `GOCSPX-${an(28)}`],
  ['Stripe key', `sk_live_${an(24)}`],
  ['Stripe key', `sk_live_${an(16)}`],
  ['Stripe key', `sk_test_${an(99)}`],
  ['Stripe key', `rk_live_${an(24)}`],
  ['Stripe key', `whsec_${an(32)}`],
  ['SendGrid key', `SG.${an(22)}.${an(43)}`],
  ['Twilio key', `SK${hex(32)}`],
  ['Mailgun key', `key-${hex(32)}`],
  ['Azure client secret', `Abc8Q~${an(34)}`],
  ['Shopify token', `shpat_${hex(32)}`],
  ['Shopify token', `shpss_${hex(32)}`],
  ['Linear key', `lin_api_${an(40)}`],
  ['Notion token', `ntn_${num(11)}${an(35)}`],
  ['Notion token', `secret_${an(43)}`],
  ['Hugging Face token', `hf_${of(upper + lower, 34)}`],
  ['Databricks token', `dapi${hex(32)}-2`],
  ['Docker token', `dckr_pat_${an(27)}`],
  ['PyPI token', `pypi-AgEIcHlwaS5vcmc${an(120)}`],
  ['RubyGems key', `rubygems_${hex(48)}`],
  ['crates.io token', `cio${an(32)}`],
  ['NuGet key', `oy2${low(43)}`],
  ['Clojars token', `CLOJARS_${low(60)}`],
  ['DigitalOcean token', `dop_v1_${hex(64)}`],
  ['Vault token', `hvs.${an(95)}`],
  ['Terraform token', `${an(14)}.atlasv1.${an(67)}`],
  ['Groq key', `gsk_${an(52)}`],
  ['xAI key', `xai-${an(80)}`],
  ['Perplexity key', `pplx-${an(48)}`],
  ['Replicate token', `r8_${an(37)}`],
  ['NVIDIA key', `nvapi-${an(64)}`],
  ['LangSmith key', `lsv2_pt_${hex(32)}_${hex(10)}`],
  ['Pinecone key', `pcsk_${an(60)}`],
  ['Tavily key', `tvly-${an(32)}`],
  ['Firecrawl key', `fc-${hex(32)}`],
  ['Grafana token', `glsa_${an(32)}_${hex(8)}`],
  ['Grafana token', `glc_${b64(120)}`],
  ['Tailscale key', `tskey-auth-${an(12)}-${an(32)}`],
  ['Vercel token', `vcp_${an(56)}`],
  ['Cloudflare token', `cfut_${an(40)}${hex(8)}`],
  ['Cloudflare origin key', `v1.0-${hex(24)}-${hex(146)}`],
  ['Netlify token', `nfp_${an(36)}`],
  ['Supabase key', `sbp_${hex(40)}`],
  ['Supabase key', `sb_secret_${an(31)}`],
  ['Neon key', `napi_${low(64)}`],
  ['Render key', `rnd_${an(32)}`],
  ['Sentry token', `sntryu_${hex(64)}`],
  ['Figma token', `figd_${an(40)}`],
  ['Atlassian token', `ATATT3${an(186)}`],
  ['Bitbucket token', `ATBB${an(32)}`],
  ['Asana token', `1/${num(16)}:${hex(32)}`],
  ['Postman key', `PMAK-${hex(24)}-${hex(34)}`],
  ['PlanetScale token', `pscale_tkn_${an(43)}`],
  ['Doppler token', `dp.pt.${an(43)}`],
  ['Fly token', `fm2_${an(200)}`],
  ['Heroku key', `HRKU-AA${an(58)}`],
  ['Telegram token', `:AA${an(33)}`],
  ['age key', `AGE-SECRET-KEY-1${of('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`],
  ['1Password token', `ops_eyJ${an(300)}`],
  ['1Password key', `A3-${up(6)}-${up(6)}-${up(5)}-${up(5)}-${up(5)}-${up(5)}`],
  ['Adobe secret', `p8e-${an(32)}`],
  ['Airtable token', `pat${an(14)}.${hex(64)}`],
  ['Alibaba key', `LTAI${an(20)}`],
  ['Artifactory key', `AKCp${an(69)}`],
  ['ClickHouse key', `4b1d${an(38)}`],
  ['Contentful token', `CFPAT-${an(43)}`],
  ['Dropbox token', `sl.${an(140)}`],
  ['Duffel token', `duffel_live_${an(43)}`],
  ['Dynatrace token', `dt0c01.${up(24)}.${up(64)}`],
  ['EasyPost key', `EZAK${an(54)}`],
  ['Facebook token', `EAAC${an(120)}`],
  ['Flutterwave key', `FLWSECK_TEST-${hex(32)}-X`],
  ['Frame.io token', `fio-u-${an(64)}`],
  ['Harness token', `pat.${an(22)}.${hex(24)}.${an(20)}`],
  ['HubSpot token', `pat-na1-${uuid()}`],
  ['Infracost key', `ico-${an(32)}`],
  ['Intra42 secret', `s-s4t2ud-${hex(64)}`],
  ['Lob key', `live_${hex(35)}`],
  ['Mapbox token', `sk.eyJ${an(80)}.${an(22)}`],
  ['MaxMind key', `${an(6)}_${an(29)}_mmk`],
  ['Mailchimp key', `${hex(32)}-us20`],
  ['New Relic key', `NRAK-${up(27)}`],
  ['Octopus key', `API-${up(28)}`],
  ['OpenShift token', `sha256~${an(43)}`],
  ['Plaid token', `access-production-${uuid()}`],
  ['Prefect token', `pnu_${an(36)}`],
  ['Pulumi token', `pul-${hex(40)}`],
  ['ReadMe token', `rdme_${low(70)}`],
  ['Scalingo token', `tk-us-${an(48)}`],
  ['Brevo key', `xkeysib-${hex(64)}-${an(16)}`],
  ['SettleMint token', `sm_pat_${an(16)}`],
  ['Shippo token', `shippo_live_${hex(40)}`],
  ['Sourcegraph token', `sgp_${hex(40)}`],
  ['Square token', `sq0atp-${an(22)}`],
  ['Typeform token', `tfp_${an(59)}`],
  ['Yandex token', `AQVN${an(38)}`],
  ['Buildkite token', `bkua_${hex(40)}`],
  ['CircleCI token', `CCIPAT_${an(22)}_${hex(40)}`],
  ['Sonar token', `squ_${hex(40)}`],
  ['Aiven token', `AVNS_${an(19)}`],
  ['Resend key', `re_${an(8)}_${an(24)}`],
  ['PostHog key', `phx_${an(43)}`],
  ['Defined Networking token', `dnkey-${an(26)}-${an(52)}`],
  ['Discord token', `M${an(23)}.G${an(5)}.${an(38)}`],
  ['Jina key', `jina_${hex(32)}${an(24)}`],
  ['E2B key', `e2b_${hex(40)}`],
  ['ElevenLabs key', `sk_${hex(48)}`],
  ['Stytch secret', `secret-live-${an(36)}`],
  ['Onfido token', `api_live.${an(11)}.${an(32)}`],
  ['Razorpay key', `rzp_live_${an(14)}`],
  ['ngrok key', `ngrok_api_${an(40)}`],
  ['Gemini key', `AQ.Ab8RN6${an(44)}`],
  ['Artifactory token', `cmVmd${an(59)}`],
  ['Harness token (letters)', `pat.${an(22)}.${an(24)}.${an(20)}`],
  ['unsigned JSON web token', `eyJhbGciOiJub25lIn0.eyJ${an(80)}.`],
  ['JSON web token', `eyJ${an(30)}.eyJ${an(80)}.${an(43)}`],
  ['JSON web token (encrypted)', `eyJ${an(60)}.${an(200)}.${an(16)}.${an(120)}.${an(22)}`],
];

const named: readonly (readonly [kind: string, secret: string, around: string])[] = [
  ...(
    ['DB_PASSWORD', 'PGPASSWORD', 'MYSQL_PWD', 'REDIS_PASSWORD', 'SMTP_PASS', 'ROOT_PASSWORD', 'ADMIN_PASSWD'] as const
  ).map((name) => [`${name}=`, password(), `${name}=%`] as const),
  ...(
    [
      'API_KEY',
      'SECRET_KEY',
      'JWT_SECRET',
      'APP_SECRET',
      'ACCESS_TOKEN',
      'AUTH_TOKEN',
      'ENCRYPTION_KEY',
      'SESSION_SECRET',
      'CLIENT_SECRET',
      'DEPLOY_KEY',
    ] as const
  ).map((name) => [`${name}=`, an(24), `export ${name}=%`] as const),
  ...(
    [
      'ADAFRUIT',
      'ALGOLIA',
      'CODECOV',
      'COHERE',
      'COINBASE',
      'CONFLUENT',
      'DATADOG',
      'FASTLY',
      'FLICKR',
      'LINKEDIN',
      'TWITCH',
      'ZENDESK',
    ] as const
  ).map((name) => [`${name} key`, an(32), `${name}_API_KEY=%`] as const),
  ['aws_secret_access_key', b64(40), 'aws_secret_access_key = %'],
  ['AWS_SECRET_ACCESS_KEY', b64(40), 'AWS_SECRET_ACCESS_KEY=%'],
  ['SecretAccessKey', b64(40), '{"SecretAccessKey": "%"}'],
  ['aws_session_token', b64(400), 'aws_session_token = %'],
  ['SessionToken', b64(400), '"SessionToken": "%",'],
  ['"password"', password(), '{"user": "bob", "password": "%"}'],
  ['"passwd"', 'hunter2x', '{"passwd":"%"}'],
  ['"pwd"', 's3cr3t!', '{"pwd": "%"}'],
  ['"token"', hex(40), '{"token": "%"}'],
  ['"access_token"', an(60), '{"access_token":"%","expires_in":3600}'],
  ['"refresh_token"', an(40), '{"refresh_token": "%"}'],
  ['"apiKey"', an(32), '{"apiKey": "%"}'],
  ['"api_key"', hex(32), '{"api_key": "%"}'],
  ['"client_secret"', an(30), '{"client_secret": "%"}'],
  ['"private_key_id"', hex(40), '{"type": "service_account", "private_key_id": "%"}'],
  ['"auth"', `${b64(30)}==`, '{"auths": {"ghcr.io": {"auth": "%"}}}'],
  ['password = code', 'hunter2!', "const password = '%';"],
  ['password: yaml', password(), 'database:\n  password: %\n  port: 5432'],
  ['token: yaml', hex(40), 'github:\n  token: %\n'],
  ['api_key: yaml', an(32), 'api_key: "%"'],
  ['k8s env', password(), '- name: DB_PASSWORD\n  value: "%"'],
  ['json env', password(), '{"name": "DB_PASSWORD", "value": "%"}'],
  ['php define', 'wp-S3cret!', "define('DB_PASSWORD', '%');"],
  ['python keyword', 'hunter2x', 'connect(host="db", password="%")'],
  ['properties', password(), 'spring.datasource.password=%'],
  ['xml', 'S3cr3t-pw', '<server><username>u</username><password>%</password></server>'],
  ['netrc', 'n3trc-pw1', 'machine api.example.com login bob password %'],
  ['npmrc', hex(36), '//registry.npmjs.org/:_authToken=%'],
  ['npmrc', `${b64(30)}=`, '//npm.corp/:_password=%'],
  ['curl -u', password(), 'curl -u admin:% https://api.example.com/v1'],
  ['curl -u quoted', password(), "curl -s -u 'admin:%' https://api.example.com"],
  ['curl --user', password(), 'curl --user admin:% https://h'],
  ['--password=', password(), 'mysqldump --password=% db'],
  ['--password', password(), 'tool login --username bob --password % --verbose'],
  ['--token', hex(40), 'gh-tool --token % repo list'],
  ['--api-key', an(32), 'cli --api-key=% run'],
  ['mysql -p', 'S3cretPw', 'mysql -u root -p% shop'],
  ['sshpass', 'S3cretPw', 'sshpass -p % ssh host'],
  ['redis-cli -a', 'S3cretPw', 'redis-cli -h h -a % ping'],
  ['openssl', 'S3cretPw', 'openssl rsa -in k.pem -passin pass:% -out o'],
  ['sql user', 'S3cretPw', "CREATE USER bob WITH PASSWORD '%';"],
  ['sql identified', 'S3cretPw', "CREATE USER 'bob'@'%h' IDENTIFIED BY '%';".replace('%h', 'h')],
  ['Authorization: Bearer', an(40), 'Authorization: Bearer %'],
  ['Authorization: Basic', `${b64(24)}=`, 'authorization: Basic %'],
  ['Authorization: token', hex(40), 'Authorization: token %'],
  ['Authorization: raw', an(32), "-H 'Authorization: %'"],
  ['X-Api-Key', an(32), 'X-Api-Key: %'],
  ['X-Auth-Token', hex(32), 'x-auth-token: %'],
  ['X-Vault-Token', an(26), 'curl -H "X-Vault-Token: %" https://v'],
  ['PRIVATE-TOKEN', an(20), 'curl --header "PRIVATE-TOKEN: %" https://gitlab'],
  ['Cookie', an(40), 'Cookie: session=%; theme=dark'],
  ['Set-Cookie', an(40), 'Set-Cookie: sid=%; Path=/; HttpOnly'],
  ['header object', an(32), `headers: { 'x-api-key': '%' }`],
  ['jdbc', password().replace('&', '!'), 'jdbc:postgresql://db:5432/app?user=u&password=%'],
  ['query token', an(32), 'https://api.example.com/v1?access_token=%&x=1'],
  ['query api_key', hex(32), 'https://api.example.com/v1?q=1&api_key=%'],
  ['ADO', password(), 'Server=tcp:x.database.windows.net;User ID=sa;Password=%;Encrypt=true'],
  ['ADO at the beginning', password(), 'Password=%;Server=x;User ID=sa'],
  ['postgres address', 'p@ss:w0rd', 'postgres://admin:%@db.internal:5432/app'],
  ['redis address', 's3cret!', 'redis://:%@cache:6379/0'],
  ['mongodb address', 's3cret!', 'mongodb+srv://app:%@cluster0.mongodb.net/?retryWrites=true'],
  ['address with a slash', 'pa/ss/w0rd', 'postgres://admin:%@db.internal:5432/app'],
  ['address with a quotation mark', "pa's5word", 'postgres://admin:%@db.internal:5432/app'],
  ['address with $', '$ecr3t!x', 'postgres://admin:%@db.internal:5432/app'],
  ['address with %', '%41secret9', 'amqp://admin:%@mq.internal:5672/'.replace('%@', '\u0000@')],
  ['address with *', '*s3cr3t9', 'amqp://admin:%@mq.internal:5672/'],
  ['long password in an address', an(260), 'https://bob:%@git.example.com/r.git'],
  ['token as user', an(40), 'git clone https://%@github.com/a/b.git'],
  ['x-access-token', an(40), 'https://x-access-token:%@github.com/a/b.git'],
  ['Azure key', `${b64(86)}==`, 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=%;EndpointSuffix=x'],
  ['Azure signature', `${an(43)}%3D`, 'https://a.blob.core.windows.net/c?sv=2022&sig=%'.replace('sig=%', 'sig=\u0000')],
  ['Slack webhook', `T${up(9)}/B${up(9)}/${an(24)}`, 'https://hooks.slack.com/services/%'],
  ['Discord webhook', `${num(18)}/${an(68)}`, 'https://discord.com/api/webhooks/%'],
  ...(
    [
      ['SLACK_BOT_TOKEN', '='],
      ['ADMIN_TOKEN', '='],
      ['DEVELOPER_TOKEN', '='],
      ['RESEND_TOKEN', '='],
      ['GITHUB_PAT', '='],
      ['bot_token', ': '],
      ['adminToken', ' = '],
      ['X-Plex-Token', ': '],
      ['client-key-data', ': '],
    ] as const
  ).map(([name, sign]) => [name, an(32), `${name}${sign}%`] as const),
  ...(['RABBITMQ_DEFAULT_PASS', 'ANSIBLE_BECOME_PASS', 'DOCKER_PASS', 'FTP_PW'] as const).map(
    (name) => [`${name}=`, password(), `${name}=%`] as const,
  ),
  ['setx', an(24), 'setx API_TOKEN "%"'],
  ['fish', an(24), 'set -x API_TOKEN %'],
  ['csh', an(24), 'setenv API_TOKEN %'],
  ['Dockerfile', an(24), 'ENV API_TOKEN %'],
  ['#define', an(24), '#define API_KEY "%"'],
  ['aws configure', b64(40), 'aws configure set aws_secret_access_key %'],
  ['npm config', an(36), 'npm config set //registry.npmjs.org/:_authToken %'],
  ['gh secret', an(36), 'gh secret set NPM_TOKEN --body %'],
  ['a typed constant', an(32), 'const API_KEY: &str = "%";'],
  ['a typed variable', an(32), 'let apiKey: String = "%"'],
  ['R', an(32), 'api_key <- "%"'],
  ['a setter', an(32), 'client.setToken("%")'],
  ['gradle', 's3cr3t-pw', 'storePassword "%"'],
  ['SecureString', 's3cr3t-pw', 'ConvertTo-SecureString "%" -AsPlainText -Force'],
  ['a table', 's3cr3t-pw', '| password | % |'],
  ['terraform variable', 's3cr3t-pw', 'variable "db_password" {\n  default = "%"\n}'],
  ['terraform state', 's3cr3t-pw', '{"db_password":{"value":"%","type":"string"}}'],
  ['property list', an(32), '<key>ApiKey</key>\n<string>%</string>'],
  ['YAML block', an(32), 'apiKey: >-\n  %\n'],
  ['YAML anchor', 's3cr3t-pw', 'password: &pw %\n'],
  ['pass: YAML', 'Zk9s3cr3t', 'smtp:\n  pass: %\n  port: 25'],
  ['passphrase', 'correct-horse-battery', '{"password": "%"}'],
  ['generated key', 'k9<)w&1!S/90BKD{Z$}Rs5uw-JX?/c)]0>Fy}', "define('AUTH_KEY',         '%');"],
  ['psk', 's3cr3t-pw', 'network={ ssid="x" psk="%" }'],
  ['mnemonic', 'abandon ability able about above absent absorb', 'MNEMONIC="%"'],
  ['curl -su', password(), 'curl -su admin:% https://h'],
  ['curl on two lines', password(), "curl -H 'A: b' \\\n  -u admin:% https://h"],
  ['curl --proxy-user', password(), 'curl --proxy-user bob:% https://h'],
  ['curl -b', an(32), "curl -b 'sid=%' https://h"],
  ['httpie', password(), 'http -a bob:% https://h'],
  ['second cookie', an(32), 'Cookie: theme=dark; sessionid=%'],
  ['cookie file', an(32), '.example.com\tTRUE\t/\tTRUE\t1999999999\tsessionid\t%'],
  ['requests', 's3cr3t-pw', "requests.get(u, auth=('bob', '%'))"],
  ['sshpass -p without a blank', 's3cr3t-pw', 'sshpass -p% ssh host'],
  ['docker login', an(20), 'echo % | docker login -u bob --password-stdin'],
  ['sudo -S', 's3cr3t-pw', "echo '%' | sudo -S apt install x"],
  ['chpasswd', 's3cr3t-pw', "echo 'root:%' | chpasswd"],
  ['htpasswd', 's3cr3t-pw', 'htpasswd -bc file bob %'],
  ['ldapsearch', 's3cr3t-pw', 'ldapsearch -x -D cn=a -w % -b dc=x'],
  ['keytool', 's3cr3t-pw', 'keytool -genkey -storepass % -alias x'],
  ['zip', 's3cr3t-pw', 'zip -P % x.zip f'],
  ['pgpass', 's3cr3t-pw', 'localhost:5432:shop:bob:%'],
  ['Go data source', 's3cr3t-pw', 'bob:%@tcp(127.0.0.1:3306)/shop'],
  ['Oracle address', 's3cr3tpw', 'jdbc:oracle:thin:scott/%@//h:1521/x'],
  ['sql role', 's3cr3t-pw', "CREATE ROLE bob LOGIN PASSWORD '%';"],
  ['sql with a plugin', 's3cr3t-pw', "ALTER USER 'r'@'h' IDENTIFIED WITH mysql_native_password BY '%';"],
  ['sql server', 's3cr3t-pw', "CREATE LOGIN bob WITH PASSWORD = N'%';"],
  ['Google signature', hex(256), 'https://storage.googleapis.com/b/o?X-Goog-Signature=%'],
  ['CloudFront signature', an(340), 'https://d.cloudfront.net/x?Expires=1&Signature=%&Key-Pair-Id=K'],
  ['Kubernetes secret', b64(24), 'apiVersion: v1\nkind: Secret\ndata:\n  db.conf: %\n'],
  ['Kubernetes secret, data first', b64(24), 'data:\n  user: YWRtaW4=\n  conf: %\nkind: Secret\n'],
  ['Kubernetes secret in JSON', b64(24), '{"data":{"conf":"%"},"kind":"Secret"}'],
  ['a told password', 's3cr3t!pw', 'the admin password is %'],
  ['private key', pem('PRIVATE KEY'), '%'],
  ['RSA private key', pem('RSA PRIVATE KEY'), '%'],
  ['OpenSSH private key', pem('OPENSSH PRIVATE KEY', `b3BlbnNzaC1rZXktdjE${b64(400)}`), '%'],
  ['encrypted private key', pem('ENCRYPTED PRIVATE KEY'), '%'],
  ['private key without its end', `-----BEGIN RSA PRIVATE KEY-----\n${b64(300)}`, '%'],
];

export const shapes: readonly Shape[] = [
  ...bare.map(([kind, secret]) =>
    kind === 'Telegram token' ? { kind, secret, around: `${num(10)}%` } : { kind, secret },
  ),
  ...named.map(([kind, secret, around]) => ({ kind, secret, around: around.replace('\u0000', '%') })),
];

const zeroWidth = '\u200b';
const middle = (text: string, put: string): string => `${text.slice(0, -6)}${put}${text.slice(-6)}`;
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Places for any text that holds a secret. `inside` changes the secret itself, `around` its surroundings. */
export const contexts: readonly {
  readonly name: string;
  readonly inside?: (secret: string) => string;
  readonly around: (text: string) => string;
  /** Only for secrets that are recognisable by themselves. */
  readonly bareOnly?: true;
}[] = [
  { name: 'plain', around: (text) => text },
  { name: 'between lines', around: (text) => `one\n${text}\ntwo` },
  { name: 'behind a long text', around: (text) => `${'lorem ipsum '.repeat(300)}\n${text} x` },
  { name: 'JSON', around: (text) => JSON.stringify({ output: `a\n${text}\n` }) },
  { name: 'JSON in JSON', around: (text) => JSON.stringify({ body: JSON.stringify({ output: `a\n${text}\n` }) }) },
  {
    name: 'JSON in JSON in JSON',
    around: (text) => JSON.stringify({ x: JSON.stringify({ y: JSON.stringify({ z: `\n${text}` }) }) }),
  },
  { name: 'Go escapes', around: (text) => json(text).replace(/[&<>]/g, escaped) },
  { name: 'PHP escapes', around: (text) => json(text).replaceAll('/', '\\/') },
  {
    name: 'HTML',
    around: (text) =>
      `<code>${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</code>`,
  },
  {
    name: 'a coloured log line',
    around: (text) => `\u001b[32m2026-11-16T04:00:00Z\u001b[0m INFO \u001b[1m${text}\u001b[0m`,
  },
  { name: 'a colour inside', inside: (secret) => middle(secret, '\u001b[31m'), around: (text) => `x ${text} y` },
  {
    name: 'an invisible letter inside',
    inside: (secret) => middle(secret, zeroWidth),
    around: (text) => `x ${text} y`,
  },
  {
    name: 'an escaped letter inside',
    inside: (secret) => `${secret.slice(0, 2)}${escaped(secret.charAt(2))}${secret.slice(3)}`,
    around: (text) => `"${text}"`,
    bareOnly: true,
  },
  {
    name: 'wide letters',
    inside: (secret) => secret.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    around: (text) => text,
    bareOnly: true,
  },
  {
    name: 'an escaped letter in braces',
    inside: (secret) => `${secret.slice(0, 2)}\\u{${secret.charCodeAt(2).toString(16)}}${secret.slice(3)}`,
    around: (text) => `"${text}"`,
    bareOnly: true,
  },
  { name: 'Chinese text', around: (text) => `密码是${text}。好的` },
  { name: 'a diff', around: (text) => text.replace(/^/gm, '+') },
  {
    name: 'numbered lines',
    around: (text) =>
      text
        .split('\n')
        .map((line, i) => `     ${i + 1}→${line}`)
        .join('\n'),
  },
  { name: 'env file', around: (text) => `A=1\nSETTING=${text}\nB=2`, bareOnly: true },
  { name: 'YAML', around: (text) => `service:\n  setting: ${text}\n`, bareOnly: true },
  { name: 'a shell command', around: (text) => `run --with "${text}" | tee out`, bareOnly: true },
  { name: 'an address', around: (text) => `https://h.example/x?k=${text}&y=1`, bareOnly: true },
  { name: 'a path', around: (text) => `/srv/${text}/notes.md`, bareOnly: true },
  { name: 'a key', around: (text) => JSON.stringify({ [text]: 1 }), bareOnly: true },
  { name: 'behind an underscore', around: (text) => `x_${text}`, bareOnly: true },
];

/** What a reader would see of a secret that one of the contexts has hidden. */
export const unhidden = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    .replace(/\u001b\[[0-9;]*m|\u200b/g, '')
    .replace(/\\+u\{?([0-9a-f]{2,4})\}?/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[\uff01-\uff5e]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replace(/\\+\//g, '/')
    .replaceAll('&amp;', '&');

/** Every shape in every context that fits it. */
export function* secretTexts(): Generator<{ shape: Shape; context: string; text: string }> {
  for (const shape of shapes)
    for (const { name, inside, around, bareOnly } of contexts) {
      if (bareOnly && shape.around !== undefined && shape.kind !== 'Telegram token') continue;
      const secret = inside === undefined ? shape.secret : inside(shape.secret);
      yield { shape, context: name, text: around((shape.around ?? '%').replace('%', () => secret)) };
    }
}
