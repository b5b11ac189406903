// Every page that people see when they are signed in has an address with data (with-data/ looks at them): one that
// is in no list fails here by its name, and none needs a browser for that.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { everyPage } from '../support/browser/full-tenant/every-page.js'
import { pageParts, partOf } from '../support/browser/full-tenant/page-parts.js'

const folder = join(String(packageRoot()), 'test/browser/with-data')
const looking = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))

t.test('each page of the portal, the account and the consent pages has a name and an address', async (t) => {
  const ids = { id: 'a', applicationId: 'a', keyId: 'k', credentialId: 'c', userId: 'u', webhookId: 'w' }
  const more = {
    deliveryId: 'd',
    apiId: 'i',
    ownApiId: 'o',
    tokenId: 't',
    deletedId: 't',
    provider: 'p',
    changeId: 'x',
  }
  const pages = await everyPage(t, { ...ids, ...more }, 'asking')
  for (const address of ['/portal', '/portal/audit', '/account/apps', '/consent-requests', '/device']) {
    t.ok([...pages.values()].includes(address), address)
  }
  t.ok(pages.size >= 75, `${pages.size} pages`)
  t.equal(new Set(pages.values()).size, pages.size, 'each once')
  for (const part of pageParts) {
    const count = [...pages.values()].filter((address) => partOf(address) === part).length
    t.ok(count > 15 && count < 45, `${part}: ${count} pages, which one file looks at in a minute or two`)
    t.ok(
      looking.some((text) => text.includes(`lookAtPages(t, '${part}')`)),
      `a file looks at ${part}`,
    )
  }
})
