// The services behind the gateway.

import { Type } from 'typebox'
import { headerPatterns } from './header-list.js'
import { entry, leaf, section } from './leaves.js'
import { named } from './names.js'

const place =
  'http(s)://host:port with an optional base path; unix:/path/to.sock, or unix:/path/to.sock:/base; builtin:backend.'

const Target = Type.Union(
  [
    leaf.text(''),
    entry('A target and its share.', {
      url: leaf.text('http(s)://host:port with an optional base path, or unix:/path/to.sock.'),
      weight: Type.Optional(
        leaf.count('Its share of the requests beside the others; 1 when left out.', undefined, [1, 100]),
      ),
    }),
  ],
  { errorMessage: 'must be the URL of a target, or {url: …, weight: …}' },
)

const RetryReasons = Type.Array(leaf.word('', ['connect', 'reset', '502', '503', '504']), {
  description:
    'connect: no connection stood, whatever the method. GET and HEAD alone: reset, lost before an answer; "502", "503", "504", with another target.',
  minItems: 1,
  uniqueItems: true,
  default: ['connect', 'reset'],
  errorMessage: 'must be a list of connect, reset, "502", "503" and "504", each once',
})

const Health = entry('How the health of targets is checked. Without it, targets are not checked.', {
  path: leaf.text('The path that is requested with GET; below no base path.'),
  status: Type.Optional(leaf.count('The status that is well; any 2xx when left out.', undefined, [200, 599])),
  every: leaf.duration('How often.', '5s', ['100ms', '1h']),
  timeout: leaf.duration('How long an answer may take.', '2s', ['10ms', '1min']),
  healthy: leaf.count('So many good answers in a row, and it gets requests again.', 2, [1, 100]),
  unhealthy: leaf.count('So many bad ones, and it gets none.', 3, [1, 100]),
})

/** `upstreams` */
export const Upstreams = Type.Record(
  Type.String(),
  entry('A service behind the gateway. Its name is the audience of the assertions it gets.', {
    target: Type.Optional(leaf.text(place)),
    targets: Type.Optional(
      Type.Array(Target, {
        description: 'Instead of target: several, which share the requests.',
        minItems: 1,
        maxItems: 64,
        errorMessage: 'must be a list of 1 to 64 targets',
      }),
    ),
    balance: leaf.word(
      'How several targets share the requests: round-robin; least-requests: of two that chance picks the one with less to do; hash: callers stay where they are.',
      ['round-robin', 'least-requests', 'hash'],
      'round-robin',
    ),
    hash: Type.Optional(
      leaf.word('What the hash is of; callers without it go by what is left.', [
        'application',
        'tenant',
        'user',
        'address',
      ]),
    ),
    identity: leaf.word(
      'jwt: a signed assertion replaces Authorization. headers: X-Portcullis-Application, -Tenant, -User (of calls on behalf of a person) and -Permissions say who calls, and -Assertion holds the same, signed. none: nothing does.',
      ['jwt', 'headers', 'none'],
      'jwt',
    ),
    dropRequestHeaders: Type.Optional(
      headerPatterns('Fields of a request that do not cross to it either, beside those of defaults.'),
    ),
    ca: Type.Optional(
      leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.'),
    ),
    cert: Type.Optional(leaf.certificates('PEM of the certificate that the gateway shows; usually file:/path.')),
    key: Type.Optional(leaf.privateKey('PEM of its private key; file:/path.')),
    serverName: Type.Optional(
      leaf.text('The name that the service’s certificate has, where that is not the one in the URL.'),
    ),
    openapi: Type.Optional(
      leaf.document(
        'Its OpenAPI 3 document, for the API reference and for routes that say validate: true; file:openapi.yaml, or JSON.',
      ),
    ),
    documentation: leaf.word(
      'Who reads of it in the API reference, as far as routes lead to it: everybody, members (of a tenant, signed in), nobody.',
      ['everybody', 'members', 'nobody'],
      'everybody',
    ),
    connections: leaf.count('Connections kept to each target at most.', 256, [1, 10_000]),
    maxInFlight: Type.Optional(
      leaf.count(
        'Requests under way at once, those that wait for a connection among them; more are 503. Four times the connections to all targets when left out.',
        undefined,
        [1, 1_000_000],
      ),
    ),
    maxStreams: Type.Optional(
      leaf.count(
        'Open requests of routes with `stream: true`, WebSockets among them, each on a connection of its own beside the others; more are 503. Twice the connections to all targets when left out.',
        undefined,
        [1, 1_000_000],
      ),
    ),
    share: leaf.percent(
      'Of connections and of streams, for one caller at once: a person, an application, an address or IPv6 /48 without a token. Twice that for an application with all its people, for a tenant, and for all without a token. 100%: no shares.',
      '25%',
    ),
    timeouts: section('How long it may take.', {
      connect: leaf.duration('Until a connection stands.', '1s', ['10ms', '1min']),
      headers: leaf.duration('Until its response begins.', '30s', ['10ms', '1h']),
      idle: leaf.duration('Between two pieces of a body.', '30s', ['10ms', '24h']),
      queue: leaf.duration(
        'Until a request finds a free connection; then 503, or 429 where its caller has its share.',
        '5s',
        ['10ms', '10min'],
      ),
      overall: leaf.duration('All of a request with its answer, but on routes with stream: true.', '1h', [
        '100ms',
        '24h',
      ]),
    }),
    health: Type.Optional(Health),
    eject: section('A target that fails in a row is left out; time brings it back.', {
      failures: leaf.count(
        'So many failures in a row: no connection, a lost one, a time-out, 502, 503 or 504. 0: never.',
        5,
        [0, 1_000],
      ),
      for: leaf.duration('How long it is left out.', '30s', ['100ms', '24h']),
      max: leaf.percent('Of the targets, at most; never the last one.', '50%'),
    }),
    retry: section('When a request is sent again, to another target where there is one.', {
      attempts: Type.Optional(
        leaf.count('How often; once where there are several targets, else never, when left out.', undefined, [0, 5]),
      ),
      when: RetryReasons,
      budget: leaf.percent('So many retries for the requests that there are; ten in reserve.', '20%'),
    }),
    resolve: leaf.duration(
      'How often the name of a target is resolved anew; connections to addresses that are gone are left.',
      '30s',
      ['100ms', '24h'],
    ),
  }),
  {
    description: 'Services behind the gateway. The name is the audience of the assertions that tell them who calls.',
    ...named,
  },
)
