// What an untrusted party can have the consent page say (decisions 152, 158): hosts that look like others, names that turn text around.

import t from 'tap'
import type { ClientDocuments } from '../../../src/client-documents/client-documents.js'
import { readDocument } from '../../../src/client-documents/read-document.js'
import { webCallback } from '../../support/providers/document-host.js'
import { openDocuments } from '../../support/rooms/documents.js'

/** Every URL is the address of a document that calls its client so. */
function everywhere(clientName: () => string): ClientDocuments {
  const find = async (url: string) => {
    const members = { client_id: url, client_name: clientName(), redirect_uris: [webCallback] }
    return readDocument(url, Buffer.from(JSON.stringify(members)), 1)
  }
  return { isOn: true, isTrusted: () => true, find, known: () => undefined, renew: () => undefined }
}

t.test('G12 identity: the host of a client stands on every page in the letters of its address', async (t) => {
  const { testApp, address } = await openDocuments(t, { replace: () => ({ documents: everywhere(() => 'Agent') }) })
  const urls = [
    'https://xn--80ak6aa92e.example/client.json',
    'https://agent.example.evil.test/client.json',
    'https://agent.example-login.test/%E2%80%AEmoc.knab',
  ]
  for (const client_id of urls) {
    const { host } = new URL(client_id)
    const signIn = await testApp.browser().open(address({ client_id }))
    t.match(signIn.body, host, 'before anybody has signed in')
    const page = await (await testApp.signedIn()).open(address({ client_id }))
    t.match(page.body, `<bdi>${host}</bdi>`)
    for (const { body } of [signIn, page]) t.notMatch(body, /аррӏе|[\u202A-\u202E\u2066-\u2069]/u)
  }
})

t.test('G12 identity: a name that is turned around, hidden or mixed is shown as what it is', async (t) => {
  let name = ''
  const { testApp, address } = await openDocuments(t, { replace: () => ({ documents: everywhere(() => name) }) })
  const browser = await testApp.signedIn()
  const cases = [
    ['\u202Eknab ruoY', '“knab ruoY”', false],
    ['Your\u2067 Bank', '“Your Bank”', false],
    ['Yo\u200Bur\u00AD Bank\uFE0F', '“Your Bank”', false],
    ['Your Bank\u2028Verified', '“Your Bank Verified”', false],
    ['<b>Your Bank</b>', '“&lt;b>Your Bank&lt;/b>”', false],
    ['Q\u0300\u0301\u0302\u0303\u0304\u0305x Bank', '“Q\u0300\u0301x Bank”', false],
    ['\u0301\u0489\u20ddYour\u3164 Bank\u2800', '“Your Bank”', false],
    ['Yоur Bаnk', '“Yоur Bаnk”', true],
  ] as const
  for (const [said, shown, isMixed] of cases) {
    name = said
    const page = await browser.open(address({ client_id: 'https://agent.test/client.json' }))
    t.match(page.body.replace(/<[^>]+>/g, ''), shown, shown)
    t.equal(page.body.includes('mixes alphabets'), isMixed, shown)
    t.notMatch(page.body, /[\u200B\u202A-\u202E\u2066-\u2069]/u)
    t.ok(page.body.indexOf('agent.test') < page.body.indexOf('It calls itself'), 'after the host')
  }
})

t.test(
  'G12 identity: a name that nobody can see leaves the host alone, also one that is kept from before',
  async (t) => {
    const blanks = [
      '\u2800\u2800',
      '\u3164',
      '\u115f\u1160\uffa0',
      '\u00ad\u200b \u2060',
      '\u{e0041}\ufe0f',
      ' \u0301\u20dd',
    ]
    let name = ''
    const before: ClientDocuments = {
      ...everywhere(() => 'Agent'),
      find: async (url) => ({ ...(await everywhere(() => 'Agent').find(url, '')), clientName: name }),
    }
    const now = everywhere(() => name)
    for (const documents of [now, before]) {
      const { testApp, address } = await openDocuments(t, { replace: () => ({ documents }) })
      const browser = await testApp.signedIn()
      for (name of blanks) {
        const { body } = await browser.open(address({ client_id: 'https://agent.test/client.json' }))
        t.match(body, '<bdi>agent.test</bdi>')
        t.notMatch(body, /It calls itself|no name|[\u2800\u3164\u115f\u1160\uffa0]/u, JSON.stringify(name))
      }
    }
  },
)
