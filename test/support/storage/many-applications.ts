// Fills the file of a Store with applications as they are registered, by SQL alone: the way through the product takes
// a commit each.

import { createConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'

/** What each application has besides its own row. */
const perApplication = [
  `insert into application_secrets (key_id, application_id, label, hint, hash, pepper_id, starts_at, ends_at, last_used_at,
     created_at) select 'key-' || n, id, 'primary', 'abc', hex(randomblob(32)), 'p', 1, 9007199254740991, null, 1 from made`,
  `insert into redirect_uris (application_id, purpose, uri) select id, 'redirect', 'https://a' || n || '.example/cb' from made`,
  `insert into configured_permissions (application_id, kind, resource, permission_id)
     select id, 'application', 'https://api.example', 'Things.Read' from made`,
  `insert into installations (application_id, tenant_id, created_at) select id, tenant_id, n from made`,
  `insert into permission_grants (application_id, tenant_id, kind, resource, permission_id, granted_at, granted_by)
     select id, tenant_id, 'application', 'https://api.example', 'Things.Read', n, 'somebody' from made`,
]

/** Adds `count` applications with six rows each to the first tenant of a Store that nobody has open. */
export async function addApplications(file: string, count: number): Promise<void> {
  const connection = createConnection(await openSqliteDatabase(file))
  connection.exec('pragma foreign_keys = on')
  connection.exec('begin')
  connection.exec(
    `create temporary table made as
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
       select n, lower(hex(randomblob(16))) as id, (select id from tenants limit 1) as tenant_id from numbers`,
  )
  connection.exec(
    `insert into applications (id, public_key, tenant_id, name, name_key, type, state, audience, created_at, updated_at)
       select id, 'pcl_pk_' || n, tenant_id, 'Ünïcode “' || n || '” 日本 🚪', 'ünïcode “' || n || '” 日本 🚪', 'web', 'enabled',
         'home', n, n from made`,
  )
  for (const statement of perApplication) connection.exec(statement)
  connection.exec('commit')
  connection.close()
}
