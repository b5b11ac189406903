// The settings of the process itself: where it listens, what it keeps, how long things last.

import { Type } from 'typebox'
import { entry, leaf, section } from './leaves.js'
import { Redis, Store } from './storage.js'

const Certificate = entry('Certificate chain and private key, as files in PEM. They are read again when they change.', {
  cert: leaf.text('File with the certificate, followed by its intermediates. Relative to this file.'),
  key: leaf.text('File with the private key. Relative to this file.'),
})

const Limits = section('How large a request may be, and how many of them one address may send.', {
  url: leaf.size('The request target. Over it: 414.', '8KiB', ['256B', '64KiB']),
  headers: leaf.size('Request line and header fields together. Over it: 431.', '16KiB', ['1KiB', '256KiB']),
  headerCount: leaf.count('Number of header fields. Over it: 431.', 100, [16, 2000]),
  body: leaf.size('A request body, where the route says nothing else. Over it: 413.', '1MiB', ['1B', '8GiB']),
  tokenBody: leaf.size('A request body at the token endpoint and its siblings.', '16KiB', ['1KiB', '1MiB']),
  bodies: leaf.size(
    'All bodies that are held in memory until they are whole: of requests, and of lists of MCP servers that are rewritten. A caller has a quarter at most. Over it: 503.',
    '64MiB',
    ['16MiB', '64GiB'],
  ),
  perCaller: leaf.count(
    'Requests under way of one caller over all upstreams: a person, an application, an address or IPv6 /48 without a token. Over it: 429.',
    512,
    [1, 1_000_000],
  ),
  requestsPerConnection: leaf.count('Requests on one connection before it is closed.', 10_000, [1, 1_000_000_000]),
  perAddress: leaf.rate(
    'Requests of one address, before anything else is looked at (over it: 429), and connections that it begins.',
    '6000/min',
  ),
  wait: leaf.duration(
    'How long requests may wait for this process. Over it for a while: 503 for the least urgent ones; 0s: never.',
    '20ms',
    ['0s', '10s'],
  ),
  connections: leaf.count(
    'Connections at once. Over it the one that is idle longest is closed for a new one.',
    5_000,
    [16, 1_000_000],
  ),
  connectionsPerAddress: leaf.count(
    'Of them those of one address, of IPv6 one /64; trustedProxies stand for many clients and are not counted.',
    500,
    [4, 1_000_000],
  ),
  connectionsPerNetwork: leaf.count('Of them those of one IPv6 /48.', 1_000, [4, 1_000_000]),
})

const Timeouts = section('How long a client may take.', {
  headers: leaf.duration('Until the header of a request has arrived.', '10s', ['1s', '10min']),
  bodyIdle: leaf.duration(
    'Between two pieces of a request body. Over as long it brings 500 bytes a second, but on routes with stream: true.',
    '30s',
    ['1s', '1h'],
  ),
  keepAlive: leaf.duration('An idle connection; longer than that of a balancer in front.', '72s', ['1s', '1h']),
})

const Drain = section('What happens when the process has to stop.', {
  ready: leaf.duration(
    'Readiness is false this long before connections are closed; give a balancer time to see it.',
    '0s',
    ['0s', '10min'],
  ),
  finish: leaf.duration('How long requests may still finish after that.', '30s', ['0s', '1h']),
})

const ForwardAuth = section(
  'Where a proxy of your own asks before it passes a request on. What it says about the request is believed, so let nobody else reach it.',
  {
    listen: Type.String({
      description: 'Where they ask: host:port, or unix:/path of a socket. Empty: nowhere.',
      default: '',
      pattern: '^$|^unix:.+$|^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9][A-Za-z0-9.-]*):[0-9]{1,5}$',
      errorMessage: 'must be host:port, such as 127.0.0.1:9465, or unix:/path, or empty',
    }),
    proxies: {
      ...leaf.list('Who may ask over the network, as addresses or CIDR blocks.', 'CIDR block', '10.0.0.0/8'),
      default: ['127.0.0.0/8', '::1'],
    },
    hosts: Type.Record(Type.String(), leaf.text('Path below which the routes of this host begin, such as /wiki.'), {
      description:
        "Hosts that the proxy answers for beside baseUrl's, and below which path their routes stand: {wiki.example.com: /wiki}.",
      propertyNames: {
        pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$',
        errorMessage: 'is not a host: lower case, without port, such as wiki.example.com',
      },
      maxProperties: 1000,
      default: {},
    }),
  },
)

/** What an environment variable can hold: the two files of a certificate. */
const filePair = Type.String({ pattern: '^[^,]+,[^,]+$', maxLength: 2048 })

const Server = section('Listeners, the public address, and what a client may ask of them.', {
  baseUrl: Type.String({
    description:
      'The public address, and the issuer of every token: an https origin without path. Everything that is sent out is built from it, never from what a request says about its host.',
    default: 'https://localhost:8443',
    pattern: '^https://[^/?#@\\s\\\\]+$',
    errorMessage: 'must be an https origin (no path, no trailing slash, no user), such as https://api.example.com',
  }),
  hstsIncludeSubDomains: leaf.flag(
    "Browsers come to baseUrl's host over HTTPS only, for a year. true: to every name below it too, services of others included.",
    false,
  ),
  apiHosts: leaf.list(
    'Further host names, which answer for routes only: no sign-in, no portal. A route with pages: true is served there and nowhere else, because what its pages run must not stand beside sign-in.',
    'host name',
    'apps.example.com',
  ),
  listen: leaf.address('Where the public listener listens.', '127.0.0.1:8443'),
  tls: Type.Union([leaf.word('', ['development', 'off']), filePair, Certificate], {
    description:
      'development: a certificate authority of its own in the data folder. off: a trusted proxy in front ends TLS. Or {cert: /run/tls/tls.crt, key: /run/tls/tls.key}, in the environment /run/tls/tls.crt,/run/tls/tls.key; both are read again when they change.',
    default: 'development',
    errorMessage: 'must be development, off, {cert: …, key: …}, or both files with a comma between them',
  }),
  certificates: Type.Array(Certificate, {
    description: 'Further ones as {cert: …, key: …}, for clients that ask for a name in them (SNI).',
    maxItems: 100,
    default: [],
    errorMessage: 'must be a list of {cert: …, key: …}',
  }),
  clientCertificates: Type.Optional(
    leaf.text(
      'File with authorities in PEM: every client must present a certificate of one of them. Nobody when left out.',
    ),
  ),
  ocspStapling: leaf.flag(
    'Whether the status of certificates that name a responder (OCSP) is fetched from it, and sent along to clients.',
    true,
  ),
  proxyProtocol: leaf.flag(
    'Whether trustedProxies pass TLS on unread, and announce whose connection it is (PROXY protocol, version 1 or 2).',
    false,
  ),
  trustedProxies: leaf.list(
    'Whose X-Forwarded-* are believed: addresses or CIDR blocks, as a list or separated by commas.',
    'CIDR block',
    '10.0.0.0/8',
  ),
  operator: leaf.address(
    'Where /metrics, /livez, /readyz and /config are served, in plain HTTP. Keep it private.',
    '127.0.0.1:9464',
  ),
  forwardAuth: ForwardAuth,
  limits: Limits,
  timeouts: Timeouts,
  drain: Drain,
})

const Data = section('What must survive a restart.', {
  folder: leaf.text(
    'Keys, database and local socket. Relative to the working directory; created with mode 0700.',
    './data',
  ),
})

const Secrets = section('Keys that come from outside. Give them as references to variables or files, never in plain.', {
  masterKeys: leaf.list(
    'Keys of 32 random bytes in base64url, separated by commas: the first encrypts and hashes new things, all are tried for old ones. None: a key in the data folder, which production does not accept.',
    'base64url key',
    'file:/run/secrets/master-keys',
  ),
})

const Tokens = section('Access tokens and the keys that sign them.', {
  lifetime: leaf.duration('How long an access token is good.', '1h', ['1min', '24h']),
  leeway: leaf.duration('How far clocks may differ.', '60s', ['0s', '5min']),
  algorithm: leaf.word(
    'What new access tokens are signed with: ES256, RS256 or EdDSA. ES256 and RS256 keys are always published.',
    ['ES256', 'RS256', 'EdDSA'],
    'ES256',
  ),
  // At least the max-age of the published set: a verifier that may still have the old one must not meet the new key
  // (J16).
  publishBefore: leaf.duration(
    'How long a new key is published before it signs; others may cache the set for 5min.',
    '24h',
    ['5min', '30d'],
  ),
  rotateEvery: leaf.duration('How long a key signs.', '90d', ['1h', '730d']),
  code: leaf.duration('How long an authorization code is good.', '60s', ['10s', '10min']),
  refreshIdle: leaf.duration('How long a refresh token lives without use.', '14d', ['1min', '365d']),
  refreshLifetime: leaf.duration('How long a refresh token and its successors live at most.', '90d', ['1min', '730d']),
  refreshGrace: leaf.duration('How long a refresh token may be repeated when its answer was lost.', '30s', [
    '0s',
    '5min',
  ]),
  cache: leaf.count(
    'How many verified tokens are remembered; revocation is checked for each request all the same.',
    10_000,
    [0, 10_000_000],
  ),
  failedAuthentications: leaf.rate(
    'Failed client authentications per address and client, in each process. Over it: 429.',
    '10/min',
  ),
})

const Revocation = section('How soon a revocation is seen.', {
  staleAfter: leaf.duration('A view of revocations older than this refuses with 503.', '5s', ['1s', '1min']),
  poll: leaf.duration('How often changes that other processes made are looked for.', '500ms', ['10ms', '1s']),
  singlePerApplication: leaf.count(
    'Revocations of single tokens alive at a time, of an application in a tenant; beyond them the next one ends all tokens of its holder.',
    5_000,
    [1, 1_000_000],
  ),
  singlePerUser: leaf.count('The same, of one person with one application.', 500, [1, 1_000_000]),
  credentialsPerApplication: leaf.count(
    'Revocations of ended secrets, keys and federated credentials alive at a time; beyond them the next one ends all tokens of the application.',
    100,
    [1, 100_000],
  ),
})

const Applications = section('Applications that are registered here.', {
  restorable: leaf.duration(
    'How long a deleted application can be restored; 0s: not at all. None of its tokens ever comes back.',
    '30d',
    ['0s', '365d'],
  ),
})

const Quotas = section('How much one tenant may have. Over it: 409, with what to do.', {
  applications: leaf.count('Applications registered in a tenant.', 1_000, [1, 1_000_000]),
  deletedApplications: leaf.count(
    'Applications deleted within about a day, a tenth of them by one person or application; beyond, none is registered.',
    1_000,
    [1, 1_000_000],
  ),
  people: leaf.count('Members of a tenant; who is invited counts as one.', 20_000, [1, 10_000_000]),
  subscriptions: leaf.count('Subscriptions of a tenant in the bundled resource service.', 10_000, [1, 10_000_000]),
  grants: leaf.count(
    'Sign-ins to applications that one person may have at once; beyond them the person has to end some.',
    2_000,
    [1, 1_000_000],
  ),
})

const Log = section('The log on standard output.', {
  level: leaf.word(
    'The least level that is written: trace, debug, info, warn, error, fatal or silent.',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
  ),
  format: leaf.word('json, pretty, or auto: pretty on a terminal, else JSON.', ['auto', 'json', 'pretty'], 'auto'),
  access: leaf.flag('One line per request.', true),
})

/** The sections of the file that are about the process, in their order. */
export const processSections = {
  server: Server,
  data: Data,
  store: Store,
  redis: Redis,
  secrets: Secrets,
  tokens: Tokens,
  revocation: Revocation,
  applications: Applications,
  quotas: Quotas,
  log: Log,
}
