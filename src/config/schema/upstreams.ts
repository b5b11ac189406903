// The services behind the gateway.

import { Type } from 'typebox'
import { entry, leaf, section } from './leaves.js'
import { named } from './names.js'

/** `upstreams` */
export const Upstreams = Type.Record(
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
  { description: 'Services behind the gateway, by name.', ...named },
)
