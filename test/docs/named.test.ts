// What the documentation calls by name is there under that name: the bold words of the pages that lead through the portal
// stand on its pages, and the commands in running text are commands with these options. That the words can be pressed in
// the order in which the quick start has them is shown by flows/newcomer.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commandReference } from '../../src/cli/command-reference.js'
import { packageRoot } from '../../src/config/read/package-root.js'
import { textsIn } from '../../src/languages/texts.js'
import { plantDelivery } from '../support/browser/planted-delivery.js'
import { plantProvider } from '../support/browser/planted-provider.js'
import { plantToolChange } from '../support/browser/planted-tool-change.js'
import { pageAddress } from '../support/browser/portal-pages.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'
import { documentationFiles } from '../support/settings/documentation.js'
import { threePlans } from '../support/settings/plan-rules.js'

const root = String(packageRoot())
const textOf = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
const pages = ['quick-start', 'who-did-what'].map((slug) => `src/docs/${slug}.md`)
/** What is the reader's own, and what only comes by pressing and calling; flows/newcomer sees it. */
const others = [
  ...['Posts.Read', '/posts/{id}', 'storefront', 'tries', 'Called most', 'Limits that were reached', 'Granted'],
  ...['To the application', 'Grant admin consent'],
]

async function everyPage(testApp: PortalApp): Promise<string> {
  const { tenantId, registration, manage, caller } = testApp
  const browser = testApp.browser()
  const { userId } = await testApp.person('Ada', 'owner')
  caller.principal = { kind: 'local' }
  await manage('PATCH', `/users/${userId}`, { operator: true })
  await testApp.signIn(browser, userId)
  const { applicationId, secrets } = registration
  const permissions = [{ kind: 'application', id: 'assets_read' }]
  await manage('PUT', `/applications/${applicationId}/permissions`, { permissions })
  const hook = { url: 'https://127.0.0.1:1/', events: ['*'], tenantId }
  const webhookId = (await manage('POST', '/webhooks', hook)).json().id
  const ids = {
    ...{ id: applicationId, applicationId, keyId: secrets[0]?.keyId ?? '', credentialId: 'none', userId, webhookId },
    ...{ deliveryId: await plantDelivery(testApp.store, webhookId), tokenId: 'none', ownApiId: 'none' },
    ...{ apiId: 'things', provider: 'corp', deletedId: 'none' },
    changeId: await plantToolChange(testApp.store),
  }
  const shown: string[] = []
  for (const pattern of testApp.pages) {
    const address = pageAddress(pattern, ids)
    for (const one of pattern.endsWith('/new') ? [address, `${address}?kind=server`] : [address]) {
      shown.push((await browser.get(one)).body)
    }
  }
  // The first page of all is not the portal's.
  return `${shown.join('\n')}${JSON.stringify(textsIn('en'))}`.replaceAll(/<\/?bdi>/g, '')
}

t.test('the portal has what the pages name in bold', async (t) => {
  const testApp = await openPortal(t, { events: { allow: ['127.0.0.1'], ca: undefined }, plans: threePlans })
  plantProvider(testApp)
  const shown = await everyPage(testApp)
  for (const file of pages) {
    const bold = [
      ...textOf(file)
        .replaceAll(/\s+/g, ' ')
        .matchAll(/\*\*([^*]+)\*\*/g),
    ].map(([, name = '']) => name)
    t.ok(bold.length > 10, `${file} names ${bold.length}`)
    const missing = bold.filter((name) => !others.includes(name))
    t.same(
      missing.filter((name) => !shown.includes(`>${name}<`) && !shown.includes(`"${name}"`)),
      [],
      file,
    )
  }
})

t.test('a command that a page names in its text is one, with these options', async (t) => {
  const reference = await commandReference('1.2.3')
  const sections = new Map(
    reference.split(/^#{2,4} (?=portcullis )/m).map((part) => [part.split('\n')[0] ?? '', part] as const),
  )
  let checked = 0
  for (const file of documentationFiles()) {
    for (const [, line = ''] of textOf(file).matchAll(/`portcullis ([^`]+)`/g)) {
      const words = line.replaceAll(/\s+/g, ' ').split(' ')
      // The longest beginning that is a command; what follows are its arguments.
      const lengths = words.map((_, at) => at + 1).reverse()
      const length = lengths.find((one) => sections.has(`portcullis ${words.slice(0, one).join(' ')}`))
      t.ok(length !== undefined, `${file}: portcullis ${line}`)
      const section = sections.get(`portcullis ${words.slice(0, length).join(' ')}`) ?? ''
      for (const option of words.filter((word) => /^--[a-z]/.test(word))) {
        checked += 1
        t.ok(section.includes(option) || option === '--help', `${file}: portcullis ${line}: ${option}`)
      }
    }
  }
  t.ok(checked > 20, `${checked} options`)
})
