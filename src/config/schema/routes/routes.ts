// What may be called.

import { Type } from 'typebox'
import { entry, leaf } from '../leaves.js'
import { limitList } from '../limits.js'
import { Mcp } from './mcp.js'
import { Require } from './requirements.js'
import { routeOptions } from './route-options.js'

/** `routes` */
export const Routes = Type.Record(
  Type.String(),
  entry('A route. Without `require`, `mcp` or `public: true` it does not load.', {
    to: leaf.text('Name of the upstream.'),
    require: Type.Optional(Require),
    public: Type.Optional(leaf.flag('No token is required.')),
    resource: Type.Optional(leaf.text('Name of the resource whose tokens it takes; the own API when left out.')),
    limits: Type.Optional(limitList('Limits instead of the default ones; or +name and -name to add and take away.')),
    body: Type.Optional(leaf.size('How large a request body may be.', undefined, ['1B', '8GiB'])),
    stream: Type.Optional(leaf.flag('Its answers may be silent for long (event streams), and it takes WebSockets.')),
    mcp: Type.Optional(Mcp),
    onStale: Type.Optional(
      leaf.word('While revocations are not known to be current: refuse (503) or pass.', ['refuse', 'pass']),
    ),
    ...routeOptions,
  }),
  {
    description:
      'What may be called; everything else is refused. The most specific route wins: plain text before {parameter} before **.',
    maxProperties: 10_000,
    default: {},
  },
)
