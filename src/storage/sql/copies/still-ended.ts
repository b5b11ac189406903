// What a database of now knows to have ended stays ended in the copy of earlier that takes its place: a secret that was
// deleted because somebody had read it must not work again. Only of what both have: what is gone as a whole is what
// somebody wants back.

import type { SqliteConnection } from '../sqlite/sqlite-connection.js'

interface Rows {
  /** For people, with `n` before it. */
  what: string
  table: string
  key: readonly string[]
  /** Whose they are, by column: a row without counterpart has ended while all of these are still there. */
  owners: Readonly<Record<string, 'applications' | 'tenants' | 'users'>>
}

const application = { application_id: 'applications' } as const
const tenant = { tenant_id: 'tenants' } as const
const user = { user_id: 'users' } as const
const permission = ['resource', 'permission_id']

const removed: readonly Rows[] = [
  { what: 'secrets', table: 'application_secrets', key: ['key_id'], owners: application },
  { what: 'federated credentials', table: 'federated_credentials', key: ['id'], owners: application },
  {
    what: 'redirect URIs',
    table: 'redirect_uris',
    key: ['application_id', 'purpose', 'uri'],
    owners: application,
  },
  { what: 'owners', table: 'application_owners', key: ['application_id', 'owner_id'], owners: application },
  {
    what: "administrators' consents",
    table: 'permission_grants',
    key: ['application_id', 'tenant_id', 'kind', ...permission],
    owners: { ...application, ...tenant },
  },
  {
    what: 'installations',
    table: 'installations',
    key: ['application_id', 'tenant_id'],
    owners: { ...application, ...tenant },
  },
  {
    what: 'consents of people',
    table: 'user_consents',
    key: ['user_id', 'application_id', 'tenant_id', ...permission],
    owners: { ...user, ...application, ...tenant },
  },
  { what: 'memberships', table: 'memberships', key: ['user_id', 'tenant_id'], owners: { ...user, ...tenant } },
  { what: 'passkeys', table: 'passkeys', key: ['credential_id'], owners: user },
  { what: 'linked identities', table: 'external_identities', key: ['issuer', 'subject'], owners: user },
  { what: 'registration tokens', table: 'registration_tokens', key: ['id'], owners: tenant },
]

const rank = (role: string) =>
  `(case ${role} when 'owner' then 3 when 'administrator' then 2 when 'developer' then 1 else 0 end)`

/** Statements on `earlier` (the copy) beside `main` (the present), each with what it counts. */
function changes(nowMs: number): [what: string, statement: string][] {
  const disabled = ['applications', 'tenants', 'users'].map((table): [string, string] => [
    `disabled ${table === 'users' ? 'people' : table}`,
    `update earlier.${table} set state = 'disabled' where state <> 'disabled'
       and id in (select id from main.${table} where state = 'disabled')`,
  ])
  return [
    ...removed.map((rows): [string, string] => [rows.what, removal(rows)]),
    ...disabled,
    [
      'secrets that end sooner',
      `update earlier.application_secrets as e set ends_at = n.ends_at from main.application_secrets as n
         where n.key_id = e.key_id and n.ends_at < e.ends_at`,
    ],
    [
      'lowered roles',
      `update earlier.memberships as e set role = n.role from main.memberships as n
         where n.user_id = e.user_id and n.tenant_id = e.tenant_id and ${rank('n.role')} < ${rank('e.role')}`,
    ],
    [
      'operators',
      'update earlier.users set operator = 0 where operator = 1 and id in (select id from main.users where operator = 0)',
    ],
    [
      'passwords',
      `update earlier.users as e set password_hash = n.password_hash, password_changed_at = n.password_changed_at
         from main.users as n where n.id = e.id and n.password_hash is not e.password_hash`,
    ],
    [
      'second factors',
      `update earlier.users as e set totp_secret = n.totp_secret, totp_last_step = n.totp_last_step
         from main.users as n where n.id = e.id and n.totp_secret is not null
         and (n.totp_secret is not e.totp_secret or n.totp_last_step is not e.totp_last_step)`,
    ],
    [
      'recovery codes',
      `delete from earlier.recovery_codes as e where exists (select 1 from main.users u where u.id = e.user_id)
         and not exists (select 1 from main.recovery_codes n where n.hash = e.hash and n.used_at is null)`,
    ],
    [
      'revocations',
      `insert into earlier.revocations (what, id, seq, at, expires_at, tenant_id, application_id, user_id)
         select what, id, (select seq + 1 from earlier.feed_head where id = 1), at, expires_at, tenant_id, application_id, user_id
           from main.revocations where seq > (select seq from earlier.feed_head where id = 1)
         on conflict (what, id) do update
           set seq = excluded.seq, at = excluded.at, expires_at = max(expires_at, excluded.expires_at)`,
    ],
    ['sign-ins', 'delete from earlier.sessions where id_hash not in (select id_hash from main.sessions)'],
    [
      // A refresh token that was exchanged since would be the newest again.
      'grants',
      `update earlier.grants as e set state = 'ended', ended_at = ${nowMs} where state = 'active' and not exists
         (select 1 from main.grants n where n.id = e.id and n.state = 'active' and n.refresh_sequence = e.refresh_sequence)`,
    ],
  ]
}

function removal({ table, key, owners }: Rows): string {
  const same = key.map((column) => `n.${column} = e.${column}`).join(' and ')
  const there = Object.entries(owners).map(
    ([column, owner]) => `exists (select 1 from main.${owner} o where o.id = e.${column})`,
  )
  return `delete from earlier.${table} as e where ${there.join(' and ')}
    and not exists (select 1 from main.${table} n where ${same})`
}

/** Keys that were removed may be in wrong hands: those of now sign on, and what the others signed is refused as it was. */
const signingKeys = [
  'delete from earlier.signing_keys',
  'insert into earlier.signing_keys select * from main.signing_keys',
]

/** How many of what have ended in the copy, those of which there are none left out. */
export type StillEnded = { what: string; count: number }[]

/**
 * Ends in `copy` what has ended in `present` since, both of this program's schema; all of it or nothing. `present` is
 * not changed. Throws the engine's errors.
 */
export function keepEnded(present: SqliteConnection, copy: string, nowMs: number): StillEnded {
  present.run('attach database ? as earlier', [copy])
  try {
    present.exec('begin immediate')
    const counts = changes(nowMs).map(([what, statement]) => ({ what, count: present.run(statement, []) }))
    for (const statement of signingKeys) present.exec(statement)
    present.exec('commit')
    return counts.filter(({ count }) => count > 0)
  } catch (error) {
    present.exec('rollback')
    throw error
  } finally {
    present.exec('detach database earlier')
  }
}
