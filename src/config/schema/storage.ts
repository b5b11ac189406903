// The settings of what is remembered: the database, and the Redis that several instances share. Alone, neither is
// needed.

import { Type } from 'typebox'
import { leaf, section } from './leaves.js'

/** The database: one SQLite file, or PostgreSQL when `url` names one. */
export const Store = section('The database.', {
  url: leaf.connection(
    'postgresql://user:password@host:5432/database, for several instances; they share secrets.masterKeys too. A primary and its standbys: host:5432,host:5432. Empty: one SQLite file.',
  ),
  sqlite: section('One file, in this process.', {
    file: leaf.text('Relative to the data folder.', 'portcullis.db'),
    busyTimeout: leaf.duration('How long to wait for another process that writes.', '5s', ['10ms', '1min']),
  }),
  postgresql: section('How PostgreSQL is used, when store.url names one.', {
    ca: Type.Optional(
      leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.'),
    ),
    engine: leaf.word(
      'other: takes a server that speaks PostgreSQL’s protocol and is not known, after trying at each start that it keeps its promises.',
      ['postgresql', 'other'],
      'postgresql',
    ),
    connections: leaf.count(
      'Connections of this instance at most; the server must allow that many for each instance, and a few more.',
      10,
      [2, 1000],
    ),
    connect: leaf.duration('How long a connection may take to stand.', '2s', ['10ms', '1min']),
    statement: leaf.duration('How long a statement may take.', '2s', ['10ms', '1min']),
    wait: leaf.duration('How long to wait for a free connection.', '2s', ['10ms', '1min']),
  }),
})

/**
 * The Redis that instances share: counts of limits, and changes ahead of the next poll. It holds nothing that must not
 * be lost.
 */
export const Redis = section(
  'What several instances share in memory: the counts of limits, and changes ahead of the next poll. Losing it loses no decision.',
  {
    url: leaf.connection(
      'redis://user:password@host:6379, rediss://… for TLS; redis+sentinel://host:26379,host:26379/master-name; redis+cluster://host:6379,host:6379 (and rediss+…). Empty: none.',
    ),
    ca: Type.Optional(
      leaf.certificates('PEM of the authorities to trust instead of the system’s; usually file:/path.'),
    ),
    sentinel: section('How Sentinels are spoken to, where redis.url names them.', {
      user: Type.Optional(leaf.text('Absent: their default user.')),
      password: Type.Optional(leaf.connection('Absent: that of redis.url. Usually file:/path.')),
      tls: leaf.word(
        'TLS to the Sentinels. as-redis: as redis.url says; or on, off.',
        ['as-redis', 'on', 'off'],
        'as-redis',
      ),
    }),
    prefix: Type.String({
      description: 'What every key begins with.',
      default: 'portcullis',
      pattern: '^[A-Za-z0-9_.-]{1,64}$',
      errorMessage: 'must be 1 to 64 letters, digits, and _ . -',
    }),
    command: leaf.duration('How long a command may take; no request waits longer for Redis.', '200ms', ['10ms', '10s']),
    connect: leaf.duration('How long a connection may take to stand.', '1s', ['10ms', '1min']),
  },
)
