// The import in the portal: choose, look, import; without scripts, with everything that is wrong with a file.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { oneAtATime } from '../../src/management/imports/one-at-a-time.js'
import { decodeMultipart, multipartBoundary } from '../../src/web/multipart-form.js'
import { formOf, type Shown, textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'

const path = '/portal/import'
const boundary = '----formBoundary7MA4YWxkTrZu0gW'
const headers = {
  origin: 'null',
  'sec-fetch-site': 'same-origin',
  'content-type': `multipart/form-data; boundary=${boundary}`,
}
const realm = readFileSync(join(String(packageRoot()), 'test/cli/samples/keycloak-realm.json'), 'utf8')

function multipart(fields: Readonly<Record<string, string>>): string {
  const part = ([name, value]: [string, string]) => {
    const file = name === 'file' ? '; filename="realm.json"\r\nContent-Type: application/json' : ''
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  }
  return `${Object.entries(fields).map(part).join('')}--${boundary}--\r\n`
}

type Portal = Awaited<ReturnType<typeof openPortal>>
type Browser = Awaited<ReturnType<Portal['as']>>
let portal: Promise<Portal> | undefined
const open = () => {
  portal ??= openPortal(t)
  return portal
}

const send = (browser: Browser, page: Shown, form: string, fields: Record<string, string> = {}) => {
  const { action, fields: own } = formOf(page, form)
  return browser.post(action, multipart({ ...own, ...fields }), headers)
}

t.test('a file is looked at, imported once, and its new private keys are shown once', async (t) => {
  const browser = await (await open()).as('administrator')
  const start = await browser.get(path)
  t.match(start.body, /<form id="import-form"[^>]*enctype="multipart\/form-data"/)
  const plan = await send(browser, start, 'import-form', { file: realm })
  t.equal(plan.status, 200, textOf(plan, 'problem'))
  t.match(textOf(plan, 'counts'), /New\s*\d/)
  t.match(textOf(plan, 'left'), /saml/)
  t.match(textOf(plan, 'import'), /^Import \d+$/)
  for (const secret of ['never-printed-secret', 'secretData']) t.notMatch(plan.body, secret, 'U9')
  const again = await send(browser, plan, 'again-form', { map: 'loyalty = -' })
  t.equal(again.status, 200)
  t.notMatch(textOf(again, 'applications'), /permission loyalty/)
  const done = await send(browser, again, 'carry-out')
  t.equal(done.status, 201)
  t.match(textOf(done, 'done'), /The import is done/)
  t.match(done.body, /id="secret-1"[^>]*value="pcl_sk_/)
  t.equal((await send(browser, again, 'carry-out')).status, 409, 'once')
  t.equal((await send(browser, plan, 'carry-out')).status < 300, true, 'another showing changes nothing')
  const anew = await send(browser, await browser.get(path), 'import-form', { file: realm })
  t.match(textOf(anew, 'plan-title'), /Nothing would change/)
  t.notMatch(anew.body, 'id="import"')
  t.match((await browser.get('/portal/applications')).body, /href="\/portal\/import"/)
})

t.test('what would stop something is said before, and done after a look', async (t) => {
  const browser = await (await open()).as('administrator')
  const of = (uri: string) => JSON.stringify([{ client_id: 'p', client_name: 'Payroll', redirect_uris: [uri] }])
  const first = await send(browser, await browser.get(path), 'import-form', { text: of('https://a.example/') })
  t.equal((await send(browser, first, 'carry-out')).status, 201)
  const start = await browser.get(path)
  const plan = await send(browser, start, 'import-form', { text: of('https://b.example/oauth2/done'), update: 'yes' })
  t.match(plan.body, '<code>https://b.example/<wbr/>oauth2/<wbr/>done</code>', 'lines end after a slash')
  t.match(textOf(plan, 'losing'), /One application loses/)
  t.match(textOf(plan, 'applications'), /goes\s*Redirect URI\s*https:\/\/a\.example/)
  t.match(textOf(plan, 'import'), /^Change 1$/)
  const done = await send(browser, plan, 'carry-out')
  t.match(textOf(done, 'counts'), /Changed\s*1/)
})

t.test('U10 what is wrong with a file is said where it was chosen, and what was typed stays', async (t) => {
  const browser = await (await open()).as('developer')
  const start = await browser.get(path)
  const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{}, /Choose a file, or paste/],
    [{ file: realm, text: realm }, /not both/],
    [{ file: 'no JSON' }, /not JSON/],
    [{ file: `{"a":"${'x'.repeat(10_000_000)}"}` }, /larger than 1 MiB|longer|too large|at most/],
    [{ file: '['.repeat(100_000) }, /nested too deeply/],
    [{ file: realm, source: 'hydra' }, /export of Keycloak, not of Ory Hydra/],
  ]
  for (const [fields, expected] of cases) {
    const page = await send(browser, start, 'import-form', { ...fields, map: 'crm.read = User.Read' })
    t.equal(page.status, 400)
    t.match(textOf(page, 'file-error'), expected)
    t.match(page.body, 'crm.read = User.Read')
  }
  const wrong = await send(browser, start, 'import-form', { file: realm, map: 'crm.read' })
  t.match(textOf(wrong, 'map-error'), /name = permission/)
  const hostile = '<script>alert(1)</script>'
  const odd = JSON.stringify([{ client_id: hostile, client_name: hostile, redirect_uris: [hostile], [hostile]: 1 }])
  const shown = await send(browser, start, 'import-form', { file: odd })
  t.equal(shown.status, 200)
  t.notMatch(shown.body, '<script>alert')
  const foreign = await browser.post(path, multipart({ file: realm }), headers)
  t.equal(foreign.status, 403, 'U1 without the token of the form')
  t.equal((await (await (await open()).as('member')).get(path)).status, 403)
})

t.test('an import that finds no place keeps what was looked at, and is sent again by its button', async (t) => {
  const testApp = await open()
  const browser = await testApp.as('administrator')
  const of = (name: string) => JSON.stringify([{ client_id: name, client_name: name }])
  const now = () => testApp.clock.nowMs
  const busy = (tenantId: string, work: () => Promise<unknown>) =>
    oneAtATime({ instance: testApp.store, tenantId, callerId: `of ${tenantId}`, now }, work)
  const atOnce = async (tenants: readonly string[], work: () => Promise<unknown>): Promise<unknown> => {
    const [first, ...others] = tenants
    return first === undefined ? work() : busy(first, () => atOnce(others, work))
  }
  const longImport = async () => {
    testApp.clock.nowMs += 31_000
  }
  type During = (work: () => Promise<unknown>) => Promise<unknown>
  const cases: readonly (readonly [number, RegExp, During])[] = [
    [409, /under way/, (work) => busy(testApp.tenantId, work)],
    [503, /as many imports at once/, (work) => atOnce(['a', 'b', 'c', 'd'], work)],
    [429, /share of this minute/, (work) => busy(testApp.tenantId, longImport).then(work)],
  ]
  for (const [status, expected, during] of cases) {
    const plan = await send(browser, await browser.get(path), 'import-form', { text: of(`Import ${status}`) })
    const answers: Shown[] = []
    await during(async () => {
      answers.push(await send(browser, plan, 'carry-out'))
    })
    const [refused] = answers
    if (refused === undefined) throw new Error('nothing was sent')
    t.equal(refused.status, status)
    t.match(textOf(refused, 'not-now'), expected)
    testApp.clock.nowMs += 60_000
    const done = await send(browser, refused, 'send-again')
    t.equal(done.status, 201)
    t.match(textOf(done, 'counts'), /New\s*1/)
  }
})

t.test('a multipart body is read as a browser writes it, or not at all', async (t) => {
  const read = (text: string) => decodeMultipart(Buffer.from(text), 'b')
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  t.same(read(`${part('a', '1')}${part('a', '')}--b--\r\n`), [
    ['a', '1'],
    ['a', ''],
  ])
  t.same(read(`${part('a', '--c\r\n--')}--b--`), [['a', '--c\r\n--']])
  for (const text of ['', 'x', '--b', '--b\r\n\r\n', part('a', '1'), `--b\r\nname="a"\r\n\r\n1\r\n--b--`])
    t.equal(read(text), undefined, JSON.stringify(text))
  t.equal(read(`${part('a', '1').repeat(65)}--b--`), undefined, 'too many')
  t.equal(multipartBoundary('multipart/form-data; boundary=b'), 'b')
  t.equal(multipartBoundary('multipart/form-data; boundary="b c"'), 'b c')
  for (const type of ['multipart/form-data', 'multipart/mixed; boundary=b', 'multipart/form-data; boundary=b; x=y'])
    t.equal(multipartBoundary(type), undefined, type)
})
