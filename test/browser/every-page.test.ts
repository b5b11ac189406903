// Every page that people see when they are signed in has an address with data (portal-with-data looks at them): one that
// is in no list fails here by its name, and none needs a browser for that.

import t from 'tap'
import { everyPage } from '../support/browser/full-tenant/every-page.js'

t.test('each page of the portal, the account and the consent pages has a name and an address', async (t) => {
  const parts = { id: 'a', applicationId: 'a', keyId: 'k', credentialId: 'c', userId: 'u', webhookId: 'w' }
  const more = { deliveryId: 'd', apiId: 'i', ownApiId: 'o', tokenId: 't', deletedId: 't', provider: 'p' }
  const pages = await everyPage(t, { ...parts, ...more }, 'asking')
  for (const address of ['/portal', '/portal/audit', '/account/apps', '/consent-requests', '/device']) {
    t.ok([...pages.values()].includes(address), address)
  }
  t.ok(pages.size >= 75, `${pages.size} pages`)
  t.equal(new Set(pages.values()).size, pages.size, 'each once')
})
