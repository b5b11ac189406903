// The settings that say who may call what: resources, permissions, upstreams, routes, limits.

import { Type } from 'typebox'
import { entry, leaf, section } from './leaves.js'

const name = {
  propertyNames: {
    pattern: '^[a-z][a-z0-9-]{0,63}$',
    errorMessage: 'is not a name: lower-case letters, digits and hyphens, beginning with a letter',
  },
  maxProperties: 10_000,
  default: {},
}

const Permission = entry('One permission.', {
  describe: leaf.text('One plain sentence, for the consent page.'),
  kinds: Type.Optional(
    Type.Array(leaf.word('', ['application', 'delegated']), {
      description: 'Who can hold it: an application as itself, or on behalf of a user. Both when left out.',
      minItems: 1,
      uniqueItems: true,
      errorMessage: 'must be a list of application, delegated or both, each once',
    }),
  ),
  adminConsent: Type.Optional(
    leaf.flag('A delegated grant needs an administrator too. Always true for ids that end in .All.'),
  ),
  role: Type.Optional(
    leaf.word(
      'The least role that a user must have in the tenant to use it through an application. Member when left out.',
      ['member', 'developer', 'administrator', 'owner'],
    ),
  ),
  covers: Type.Optional(
    Type.Array(leaf.text(''), {
      description: 'Permissions of the same resource that this one includes.',
      maxItems: 256,
      errorMessage: 'must be a list of permission ids',
    }),
  ),
})

const Permissions = Type.Record(Type.String(), Permission, {
  description: 'The permissions of the own API, by id. Applications are given some of them; routes require them.',
  propertyNames: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$',
    errorMessage: 'is not a permission id: letters, digits and . _ : - only, beginning with a letter or digit',
  },
  maxProperties: 10_000,
  default: {},
})

const Resources = Type.Record(
  Type.String(),
  entry('An API with an audience of its own.', {
    id: leaf.text('Its identifier, an absolute URI: the exact `aud` of its tokens.'),
    name: leaf.text('What people call it.'),
    permissions: Permissions,
  }),
  { description: 'APIs beside the own one ({baseUrl}/api/v2), by a short name that routes use.', ...name },
)

const Upstreams = Type.Record(
  Type.String(),
  entry('A service behind the gateway. Its name is the audience of the assertions it gets.', {
    target: leaf.text('http(s)://host:port with an optional base path, or builtin:backend.'),
    identity: leaf.word('`jwt`: a signed assertion says who calls. `none`: nothing does.', ['jwt', 'none'], 'jwt'),
    ca: Type.Optional(
      leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.'),
    ),
    connections: leaf.count('Connections kept to it at most.', 128, [1, 10_000]),
    timeouts: section('How long it may take.', {
      connect: leaf.duration('Until a connection stands.', '1s', ['10ms', '1min']),
      headers: leaf.duration('Until its response begins.', '30s', ['10ms', '1h']),
      idle: leaf.duration('Between two pieces of a body.', '30s', ['10ms', '24h']),
    }),
  }),
  { description: 'Services behind the gateway, by name.', ...name },
)

const Ids = Type.Array(leaf.text(''), {
  minItems: 1,
  maxItems: 32,
  errorMessage: 'must be a list of 1 to 32 permission ids',
})
const AllOf = Type.Union([leaf.text(''), Ids], {
  errorMessage: 'must be a permission id or a list of them',
})
const Alternatives = Type.Array(AllOf, {
  minItems: 1,
  maxItems: 32,
  description: 'Any of these is enough; of a list within, all.',
  errorMessage: 'must be a list of 1 to 32 permission ids, or of lists of them',
})
const Some = Type.Union([AllOf, entry('', { any: Alternatives })], {
  errorMessage: 'must be a permission id, a list of which all are needed, or {any: […]}',
})

/** Methods that a route can name. HEAD follows GET; OPTIONS is answered by the gateway. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const Require = Type.Union(
  [
    AllOf,
    entry('Either `any`, or one requirement per method.', {
      any: Type.Optional(Alternatives),
      GET: Type.Optional(Some),
      POST: Type.Optional(Some),
      PUT: Type.Optional(Some),
      PATCH: Type.Optional(Some),
      DELETE: Type.Optional(Some),
    }),
  ],
  {
    description: 'A permission; a list of which all are needed; {any: […]}; or one of these per method.',
    errorMessage: 'must be a permission id, a list of them, {any: […]}, or a requirement per method such as {GET: …}',
  },
)

const limitList = (description: string, names?: readonly string[]) =>
  Type.Array(leaf.text(''), {
    description,
    maxItems: 32,
    errorMessage: 'must be a list of names of limits',
    ...(names === undefined ? {} : { default: names }),
  })

const Routes = Type.Record(
  Type.String(),
  entry('A route. Without `require` or `public: true` it does not load.', {
    to: leaf.text('Name of the upstream.'),
    require: Type.Optional(Require),
    public: Type.Optional(leaf.flag('No token is asked for.')),
    resource: Type.Optional(leaf.text('Name of the resource whose tokens it takes; the own API when left out.')),
    limits: Type.Optional(limitList('Limits instead of the default ones; or +name and -name to add and take away.')),
    body: Type.Optional(leaf.size('How large a request body may be.', undefined, ['1B', '8GiB'])),
    onStale: Type.Optional(
      leaf.word('While revocations are not known to be current: refuse (503) or pass.', ['refuse', 'pass']),
    ),
  }),
  {
    description: 'What may be called: `GET /path/{id}`, `GET,POST /path`, or `/path/**` with a requirement per method.',
    maxProperties: 10_000,
    default: {},
  },
)

// For a file that defines none: no limit at all would be the more dangerous reading.
const LIMITS = {
  application: { by: 'application', rate: '6000/min', burst: 200 },
  tenant: { by: 'tenant', quota: '10000000/day' },
  'token-address': { by: 'address', rate: '1200/min', burst: 100 },
  'token-application': { by: 'application', rate: '600/min', burst: 60 },
}

const PARTS = ['address', 'application', 'tenant', 'user', 'route'] as const

const Limits = Type.Record(
  Type.String(),
  entry('A rate or a quota.', {
    by: Type.Union([leaf.word('', PARTS), Type.Array(leaf.word('', PARTS), { minItems: 1, uniqueItems: true })], {
      description: 'What is counted, or a list of what is counted together.',
      errorMessage: `must be one of ${PARTS.join(', ')}, or a list of them, each once`,
    }),
    rate: Type.Optional(leaf.rate('So many per period in the long run, evenly.')),
    burst: Type.Optional(
      leaf.count('So many at once; a tenth of the rate when left out.', undefined, [1, 1_000_000_000]),
    ),
    quota: Type.Optional(leaf.rate('So many in any period of that length, in any order.')),
    mode: Type.Optional(
      leaf.word(
        'How instances count together: strict asks Redis each time, leased takes small shares ahead, local gives each an equal part. leased with Redis, local without, when left out.',
        ['strict', 'leased', 'local'],
      ),
    ),
    onDown: Type.Optional(
      leaf.word('While Redis is away: each instance counts its part (local), 503 (refuse), or no limit (pass).', [
        'local',
        'refuse',
        'pass',
      ]),
    ),
  }),
  { description: 'Limits by name.', ...name, default: LIMITS },
)

const Defaults = Type.Object(
  {
    limits: limitList('Limits of a route.', ['application', 'tenant']),
    tokenLimits: limitList('Limits of the token endpoint and its siblings.', ['token-address', 'token-application']),
  },
  { description: 'What holds where nothing is said.', additionalProperties: false, default: {} },
)

/** The sections of the file that say who may call what, in their order. */
export const ruleSections = {
  resources: Resources,
  permissions: Permissions,
  upstreams: Upstreams,
  limits: Limits,
  defaults: Defaults,
  routes: Routes,
}
