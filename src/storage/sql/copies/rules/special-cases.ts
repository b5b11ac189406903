// What ends in a restored copy by more than one update. Statements on `earlier` (the copy) beside `main` (the present),
// by table.

import { keptTables } from '../../registrations/deleted/kept-rows.js'
import type { Tables } from '../../rows/tables.js'
import { columnsOf, tableRules } from './table-rules.js'

/** Statements of which the rows count as ended, then those that go with them. */
interface SpecialCase {
  counted: readonly string[]
  after?: readonly string[]
}

/** `nowMs` is noted as the time of the end. */
export function specialCases(nowMs: number): Readonly<Partial<Record<keyof Tables, SpecialCase>>> {
  return {
    users: addresses,
    deleted_applications: { counted: deleted() },
    profiles: { counted: [], after: [profileAddresses] },
    grants: {
      counted: [
        // A refresh token that was exchanged since would be the newest again.
        `update earlier.grants as e set state = 'ended', ended_at = ${nowMs} where state = 'active' and not exists
         (select 1 from main.grants n where n.id = e.id and n.state = 'active' and n.refresh_sequence = e.refresh_sequence)`,
      ],
    },
    revocations: {
      counted: [
        `insert into earlier.revocations (what, id, seq, at, expires_at, tenant_id, application_id, user_id)
         select what, id, (select seq + 1 from earlier.feed_head where id = 1), at, expires_at, tenant_id, application_id, user_id
           from main.revocations where seq > (select seq from earlier.feed_head where id = 1)
         on conflict (what, id) do update
           set seq = excluded.seq, at = excluded.at, expires_at = max(expires_at, excluded.expires_at)`,
      ],
    },
  }
}

const other = '(n.email is not e.email or n.email_key is not e.email_key or n.email_verified is not e.email_verified)'

/** An address is unique: those that changed are taken away before they are given again, also to each other. */
const addresses: SpecialCase = {
  counted: [
    `update earlier.users as e set email_key = null where exists (select 1 from main.users n where n.id = e.id and ${other})`,
  ],
  after: [
    // Somebody who comes back does not get an address that has another owner by now.
    `update earlier.users as e set email = '', email_key = null, email_verified = 0
     where not exists (select 1 from main.users n where n.id = e.id) and email_key in
       (select n.email_key from main.users n join earlier.users o on o.id = n.id where n.email_key is not null)`,
    `update earlier.users as e set email = n.email, email_key = n.email_key, email_verified = n.email_verified
     from main.users as n where n.id = e.id and ${other}`,
    'delete from earlier.email_vouchers where user_id in (select id from earlier.users where email_key is null)',
  ],
}

/** A profile has the address that applications may be told (users/mail/confirmed-email.ts): that of before is not. */
const profileAddresses = `update earlier.profiles as e set email = t.email from
  (select p.id, case when u.email_verified = 1 or exists
     (select 1 from earlier.email_vouchers v where v.user_id = u.id and v.tenant_id = p.tenant_id)
     then u.email else '' end as email
   from earlier.profiles p join earlier.users u on u.id = p.user_id) t
  where t.id = e.id and t.email <> e.email`

function deleted(): string[] {
  const row = ['name', 'publisher', 'verified', 'deleted_at', 'deleted_by', 'purge_at', 'kept']
  const parts = [...keptTables, 'applications' as const].map((table) => `'${table}', ${asDeletedNow(table)}`)
  return [
    // What left for good since.
    `delete from earlier.deleted_applications where id not in (select id from main.deleted_applications)
       and id not in (select id from main.applications)`,
    // One that was restored and deleted again has waited since the second time.
    `update earlier.deleted_applications as e set ${row.map((column) => `${column} = n.${column}`).join(', ')}
       from main.deleted_applications as n where n.id = e.id and n.kept <> e.kept`,
    // One that was restored since waits again, as it is now and without what proves who it is.
    `update earlier.deleted_applications as e set (name, publisher, verified, kept) =
       (select n.name, n.publisher, n.verified, json_object(${parts.join(', ')}) from main.applications n where n.id = e.id)
       where id in (select id from main.applications)`,
  ]
}

const credentials: readonly string[] = ['application_secrets', 'federated_credentials']

/** The rows of `table` that an application has in the present, as kept-rows.ts keeps them. */
function asDeletedNow(table: (typeof keptTables)[number] | 'applications'): string {
  if (credentials.includes(table)) return "json('[]')"
  const columns = columnsOf(tableRules[table])
  const value = (column: string) =>
    column === 'jwks' ? `case when k.jwks is null then null else '{"keys":[]}' end` : `k.${column}`
  const own = table === 'applications' ? 'k.id = n.id' : 'k.application_id = n.id'
  const home = table === 'permission_grants' ? ' and k.tenant_id = n.tenant_id' : ''
  const pairs = columns.map((column) => `'${column}', ${value(column)}`).join(', ')
  return `(select json_group_array(json_object(${pairs})) from main.${table} k where ${own}${home})`
}
