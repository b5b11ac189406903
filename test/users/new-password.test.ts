// Untrusted parties who ask for new passwords: nothing is written for an address that nobody has, and little for one
// that somebody has.

import t from 'tap'
import { secretValue } from '../../src/config/read/secret-value.js'
import { askForPasswordReset } from '../../src/users/mail/send-link.js'
import { mailRates, startMailServer } from '../support/people/mail-server.js'
import { openUsers } from '../support/rooms/users.js'
import { until } from '../support/traffic/until.js'

t.test('identity M7: who asks for new passwords of others writes one link at most, and none for nobody', async (t) => {
  const { url } = await startMailServer(t)
  const mail = { url: secretValue(url), from: 'Portcullis <no-reply@example.test>', ...mailRates }
  const { users, store, person } = await openUsers(t, { mail })
  const ada = await person('Ada')
  const failed: unknown[] = []
  const ask = (email: string, n: number) =>
    askForPasswordReset(users, { email, address: `198.51.100.${n}` }, (error) => void failed.push(error))
  const tables = ['one_time_links', 'mail_allowances', 'ledger', 'activity'] as const
  const count = () =>
    Promise.all(tables.map(async (table) => (await store.reader.selectFrom(table).selectAll().execute()).length))
  const before = await count()
  for (let n = 0; n < 100; n += 1) await ask(`nobody${n}@example.test`, n)
  t.same(await count(), before, 'nobody')
  await ask(ada.email, 101)
  const links = async () => (await count())[0] ?? 0
  await until('a link', async () => (await links()) === (before[0] ?? 0) + 1)
  const once = await count()
  for (let n = 0; n < 20; n += 1) await ask(ada.email, 110 + n)
  // Each is looked at after its answer, in turn: this one is last.
  await new Promise((resolve) => setImmediate(resolve))
  await ask('nobody@example.test', 140)
  t.same(await count(), once, 'one link is on its way')
  t.same(failed, [])
})
