// The reference: what a developer copies out of it works, and it says things by the names of the specification.

import t from 'tap'
import { openPortal } from '../../support/rooms/portal.js'
import { openDescribedServer } from '../../support/settings/described-server.js'

t.setTimeout(100_000)
const server = await openDescribedServer(t.testdir())
t.teardown(() => server.stop())

/** The command of an operation, as Copy takes it. */
function commandOf(page: string, operationId: string): string {
  const text = new RegExp(`id="curl-${operationId}"[^>]*>([^<]*)<`).exec(page)?.[1] ?? ''
  return text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}

t.test('the call of the token endpoint gets a token, at both addresses', async (t) => {
  const testApp = await openPortal(t)
  const page = (await server.ask('GET', {}, '/portal/reference')).body
  for (const operation of ['requestToken', 'requestTokenAlias']) {
    const command = commandOf(page, operation)
    const [, path = ''] = /"https:\/\/localhost:8443([^"]*)"/.exec(command) ?? []
    t.match(command, '-u "$CLIENT_ID:$CLIENT_SECRET"')
    const fields = [...command.matchAll(/-d (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value])
    t.same(fields, [
      ['grant_type', 'client_credentials'],
      ['requested_scopes', 'default'],
    ])
    const basic = Buffer.from(`${testApp.registration.applicationId}:${testApp.secret}`).toString('base64')
    const answer = await testApp.ask({
      method: 'POST',
      url: path,
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json(), { token_type: 'Bearer' })
  }
})

t.test('the names of the specification stand in the document, beside their other names', async (t) => {
  const { paths, components } = server.document
  const bodyOf = (path: string): Record<string, unknown> => {
    const schema = paths[path]?.['post']?.requestBody?.content['application/x-www-form-urlencoded']?.schema
    const { $ref } = schema as { $ref: string }
    const found = components.schemas[$ref.split('/').at(-1) ?? ''] as { properties: Record<string, unknown> }
    return found.properties
  }
  const here = '/api/v2/oauth2/v2.0'
  for (const path of [`${here}/token`, '/api/v2/oauth/token']) {
    for (const name of ['requested_scopes', 'requested_enrollment', 'scope', 'tenant']) t.ok(bodyOf(path)[name], name)
  }
  t.ok(bodyOf(`${here}/devicecode`)['requested_scopes'])
  for (const path of [`${here}/authorize`, '/api/v2/oauth/authorize', `${here}/adminconsent`]) {
    const names = paths[path]?.['get']?.parameters?.map(({ name }) => name) ?? []
    for (const name of ['requested_scopes', 'requested_enrollment', 'scope', 'tenant']) {
      t.ok(names.includes(name), `${path} ${name}`)
    }
  }
  const page = (await server.ask('GET', {}, '/portal/reference')).body
  t.match(page, 'requested_scopes?: string')
  t.match(page, 'requested_enrollment?: string')
})

t.test('without scripts the server searches: each word stands somewhere in an operation', async (t) => {
  const search = async (words: string) =>
    (await server.ask('GET', {}, `/portal/reference?q=${encodeURIComponent(words)}`)).body
  const whole = (await server.ask('GET', {}, '/portal/reference')).body
  const found = await search('post Applications secret')
  t.match(found, 'id="addSecret"')
  t.match(found, 'href="#addSecret"', 'the menu has it too')
  t.notMatch(found, 'id="listKeys"')
  t.match(found, /\d+ operations?</)
  t.match(await search('Subscription.Read.All'), 'id="listSubscriptions"', 'by permission')
  const nothing = await search('<script>alert(1)</script>')
  t.match(nothing, 'No operation has all of these words')
  t.notMatch(nothing, '<script>alert(1)')
  t.match(nothing, 'value="&lt;script>alert(1)', 'what was typed stays')
  t.match(whole, 'id="nothing-found" hidden')
  t.equal((await search('  ')).length, whole.length, 'blanks look for nothing')
})

t.test(
  'the menu leads to every operation, by its id; pages for people are apart, and forms of theirs not there',
  async (t) => {
    const page = (await server.ask('GET', {}, '/portal/reference')).body
    const menu = page.slice(
      page.indexOf('id="reference-menu"'),
      page.indexOf('</nav>', page.indexOf('id="reference-menu"')),
    )
    const leads = [...menu.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id)
    t.ok(leads.length > 120, `${leads.length} links`)
    t.same(
      leads.filter((id) => !page.includes(` id="${id}"`)),
      [],
    )
    t.equal(leads[0], 'resources', 'what lies behind the gate comes first')
    t.notMatch(page, 'its form')
    t.notMatch(menu, 'getPortalApplications')
    t.match(
      page.slice(page.indexOf('id="pages"')),
      'id="getPortalApplications"',
      'addresses of before still lead there',
    )
  },
)
