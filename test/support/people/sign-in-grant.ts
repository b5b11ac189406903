// Something that an application holds for a person, to see it end.

import { randomUUID } from 'node:crypto'
import type { IdentityApp } from '../rooms/identity.js'

/** An active grant of this person; `state` reads how it stands. */
export async function makeGrant({ store }: IdentityApp, userId: string): Promise<{ state(): Promise<string> }> {
  const id = randomUUID()
  await store.transaction((tx) =>
    tx
      .insertInto('grants')
      .values({
        ...{ id, origin: 'code', user_id: userId, application_id: randomUUID(), tenant_id: randomUUID() },
        ...{ resource: 'r', permissions: 'p', openid_scopes: '', client_identifier: '', authentication: '{}' },
        ...{ state: 'active', created_at: 1, ended_at: null, refresh_sequence: 0, idle_expires_at: 0, expires_at: 0 },
      })
      .execute(),
  )
  return {
    async state() {
      const row = await store.reader.selectFrom('grants').select('state').where('id', '=', id).executeTakeFirstOrThrow()
      return row.state
    },
  }
}
