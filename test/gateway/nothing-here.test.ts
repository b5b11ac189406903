// What a browser finds where there is nothing: a page with ways on, and at the bare address the way in. Programs get
// the error body, and what is hidden from a caller looks like what there is not.

import t from 'tap'
import type { BrandSettings } from '../../src/config/brand/brand-settings.js'
import { textsIn } from '../../src/languages/texts.js'
import { createNothingHere } from '../../src/web/nothing-here.js'
import { baseUrl } from '../support/rooms/directory.js'
import { openGate } from '../support/rooms/http-gate.js'

const page = 'text/html,application/xhtml+xml,*/*;q=0.8'

t.test('browsers get a page or the way in where the gate has nothing, programs the error body', async (t) => {
  const { app, token } = await openGate(t, {
    routes: [
      { path: '/of/{tenant}', methods: { GET: ['User.Read.All'] }, tenant: 'tenant' },
      { path: '/open', methods: { GET: 'public' } },
    ],
    upstreams: { things: { target: { kind: 'url', origin: 'http://127.0.0.1:1', basePath: '' } } },
    replace: () => ({ nothingHere: createNothingHere(baseUrl, 'fr') }),
  })
  const own = { host: 'portcullis.test', 'x-forwarded-proto': 'https', 'accept-language': 'en' }
  const ask = (url: string, accept: string, method: 'GET' | 'HEAD' | 'POST' = 'GET', more = {}) =>
    app.inject({ method, url, headers: { ...own, accept, ...more } })

  const start = await ask('/', page)
  t.equal(start.statusCode, 303)
  t.equal(start.headers.location, '/portal')
  t.equal(start.headers.vary, 'accept')
  t.equal((await ask('/', '*/*')).statusCode, 404, 'a program is not sent to a page')

  const missing = await ask('/portal/nothing', page)
  t.equal(missing.statusCode, 404)
  t.match(missing.headers['content-type'], 'text/html')
  t.match(missing.headers['content-security-policy'], "form-action 'none'")
  t.match(missing.headers['cache-control'], 'no-store')
  t.match(missing.body, 'href="/portal"')
  t.match(missing.body, `<code id="request-id">${missing.headers['request-id']}</code>`)
  t.notMatch(missing.body, 'nothing</', 'nothing of the address stands on it')
  const head = await ask('/portal/nothing', page, 'HEAD')
  t.equal(head.statusCode, 404)
  t.equal(head.body, '')

  const reading = async (more: Record<string, string>) => {
    const { headers, body } = await ask('/account/nowhere', page, 'GET', more)
    return [headers['content-language'], /<html lang="(..)"/.exec(body)?.[1], /<h1>([^<]+)/.exec(body)?.[1]]
  }
  for (const [language, more] of [
    ['de', { 'accept-language': 'tlh, de-AT;q=0.8, en;q=0.2' }],
    ['ja', { 'accept-language': 'de', cookie: 'a=b; __Host-portcullis-language=ja.1750000000' }],
    ['fr', { 'accept-language': 'tlh', cookie: '__Host-portcullis-language=tlh' }],
  ] as const)
    t.same(await reading(more), [language, language, textsIn(language).errors.nothingHere.title])
  t.match(missing.headers.vary, 'accept-language')

  for (const [url, accept, method] of [
    ['/portal/nothing', 'application/json', 'GET'],
    ['/api/v2/nothing', page, 'GET'],
    ['/API/nothing', page, 'GET'],
    ['/nothing', page, 'POST'],
  ] as const) {
    const answer = await ask(url, accept, method)
    t.equal(answer.statusCode, 404, url)
    t.equal(answer.json().error.code, 'NotFound', url)
  }

  const authorization = `Bearer ${await token()}`
  const hidden = await ask('/of/another', page, 'GET', { authorization })
  const none = await ask('/other', page, 'GET', { authorization })
  const said = ({ body }: { body: string }) => body.replace(/<code id="request-id">[^<]+/, '')
  t.same([hidden.statusCode, said(hidden)], [none.statusCode, said(none)])
})

t.test('the page looks like the server as it is called now, also after a reload', async (t) => {
  const first: BrandSettings = {
    ...{ name: 'Northwind <ID>', accent: '#14532d', accentDark: undefined, logo: undefined, logoDark: undefined },
    ...{ terms: 'https://northwind.example/terms', privacy: undefined, support: undefined },
  }
  const server = { brand: first }
  const { app } = await openGate(t, {
    routes: [],
    upstreams: {},
    replace: () => ({ nothingHere: createNothingHere(baseUrl, 'en', () => server.brand) }),
  })
  const own = { host: 'portcullis.test', 'x-forwarded-proto': 'https', accept: page }
  const read = async (language: string) =>
    (await app.inject({ method: 'GET', url: '/nothing', headers: { ...own, 'accept-language': language } })).body
  for (const language of ['en', 'ja']) {
    const body = await read(language)
    t.match(body, 'Northwind &lt;ID>', 'escaped')
    t.match(body, 'href="https://northwind.example/terms"')
    t.match(body, '/brand/a1-14532d-own.css')
    t.notMatch(body, 'Portcullis')
  }
  server.brand = { ...first, name: 'Wingtip ID', accent: undefined, terms: undefined }
  for (const language of ['en', 'ja']) {
    const body = await read(language)
    t.match(body, 'Wingtip ID')
    t.notMatch(body, /Northwind|northwind|14532d/)
  }
})
