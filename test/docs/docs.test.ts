// The documentation at /docs, called in process: every link and anchor leads somewhere, the references have everything
// that there is, and answers are for everybody, kept by browsers and bound by the policy of all pages.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commandReference } from '../../src/cli/command-reference.js'
import { packageRoot } from '../../src/config/read/package-root.js'
import { settingsReference } from '../../src/config/report/settings-reference.js'
import { ConfigurationFile } from '../../src/config/schema/file.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { metricsReference } from '../../src/observability/metrics-reference.js'
import { createLibrary, readSource } from '../../src/web/docs/library.js'
import { renderMarkdown } from '../../src/web/docs/markdown.js'
import { runCommand } from '../support/rooms/cli.js'
import { openDescribedServer } from '../support/settings/described-server.js'

t.setTimeout(100_000)
const server = await openDescribedServer(t.testdir())
t.teardown(() => server.stop())
const get = (url: string, headers: Record<string, string> = {}) => server.ask('GET', headers, url)

const files = readdirSync(join(packageRoot(), 'src/docs')).map((name) => name.replace(/\.md$/, ''))
const generated = ['configuration-reference', 'command-reference', 'metrics-reference']

t.test('every page and every link and anchor of every page is there', async (t) => {
  const bodies = new Map<string, string>()
  const links = new Set<string>(['/docs', ...[...files, ...generated].map((slug) => `/docs/${slug}`)])
  let followed = 0
  for (const link of links) {
    const [path = '', anchor] = link.split('#')
    if (!bodies.has(path)) {
      const answer = await get(path)
      // The API reference sends nobody away; what is behind a sign-in leads there.
      t.ok([200, 303].includes(answer.statusCode), `${path}: ${answer.statusCode}`)
      bodies.set(path, answer.body)
      const own = path.startsWith('/docs') ? [...answer.body.matchAll(/<a [^>]*?href="([^"]+)"/g)] : []
      for (const [, href = ''] of own) {
        followed++
        if (href.startsWith('#')) links.add(`${path}${href}`)
        else if (href.startsWith('/')) links.add(href)
        else t.match(href, /^https:\/\//, `${path} leads to ${href}`)
      }
    }
    if (anchor !== undefined) t.ok(bodies.get(path)?.includes(`id="${anchor}"`), `${path} has ${anchor}`)
  }
  t.comment(`${followed} links on ${bodies.size} pages, ${links.size} different ones`)
  t.ok(links.size > 100)
})

t.test('no page names a file of the documentation that is not there, or has a heading twice', async (t) => {
  for (const slug of files) {
    const { body } = await get(`/docs/${slug}`)
    t.notMatch(body, /<span class="file">/, `${slug}: every relative link leads to a page`)
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    t.same(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
      slug,
    )
  }
})

t.test(
  'a page is for everybody: no cookie, kept for a while, with its version, under the policy of pages',
  async (t) => {
    for (const url of ['/docs', '/docs/tokens', '/docs/search.json']) {
      const answer = await get(url)
      t.equal(answer.statusCode, 200)
      t.equal(answer.headers['cache-control'], 'public, max-age=300')
      t.equal(answer.headers['set-cookie'], undefined)
      t.match(answer.headers['content-security-policy'], /default-src 'none'/)
      t.notMatch(answer.headers['content-security-policy'], /unsafe/)
      t.equal(answer.headers['x-content-type-options'], 'nosniff')
      const kept = await get(url, { 'if-none-match': `W/"other", ${answer.headers['etag']}` })
      t.same([kept.statusCode, kept.body], [304, ''])
      t.equal((await get(url, { 'if-none-match': '"other"' })).statusCode, 200)
      const head = await server.ask('HEAD', {}, url)
      t.same([head.statusCode, head.body], [200, ''])
      const post = await server.ask('POST', {}, url)
      t.equal(post.statusCode, 405)
      t.match(post.headers['allow'], /GET, HEAD/)
    }
  },
)

t.test('a page that does not exist is a page with the menu, and 404', async (t) => {
  for (const url of ['/docs/nothing', '/docs/README', '/docs/..%2Fdecisions', '/docs/tokens.md']) {
    const answer = await get(url)
    t.ok([400, 404].includes(answer.statusCode), url)
  }
  const answer = await get('/docs/nothing')
  t.match(answer.headers['content-type'], /^text\/html/)
  t.match(answer.body, /href="\/docs\/quick-start"/)
})

t.test('the search has every heading of every page', async (t) => {
  const index = (await get('/docs/search.json')).json<[string, string, string, string][]>()
  for (const slug of [...files, ...generated]) {
    const { body } = await get(`/docs/${slug}`)
    const [, article = ''] = /<article[^>]*>([\s\S]*)<\/article>/.exec(body) ?? []
    for (const [, id] of article.matchAll(/<h[2-4] id="([^"]+)"/g)) {
      t.ok(
        index.some(([path]) => path === `/docs/${slug}#${id}`),
        `${slug}#${id}`,
      )
    }
  }
})

t.test('people find the documentation: from the page of an error number, and back', async (t) => {
  t.match((await get('/errors')).body, /href="\/docs"/)
  t.match((await get('/errors/70011')).body, /href="\/docs"/)
  t.match((await get('/docs')).body, /href="\/errors"/)
})

t.test(
  'every setting of the schema is in the configuration reference, with its default and its description',
  async (t) => {
    const text = settingsReference()
    const shown = (await get('/docs/configuration-reference')).body
    let count = 0
    const walk = (schema: Schema, path: string): void => {
      for (const [key, inner] of Object.entries(schema.properties ?? {})) {
        const at = path === '' ? key : `${path}.${key}`
        if (inner.properties === undefined && inner.patternProperties === undefined) {
          count++
          t.ok(text.includes(`| \`${at}\` |`), at)
          if (typeof inner.default === 'string' && inner.default !== '') t.ok(text.includes(`\`${inner.default}\``), at)
        }
        walk(inner, at)
      }
      for (const inner of Object.values(schema.patternProperties ?? {})) walk(inner, `${path}.<name>`)
    }
    for (const setting of ['pins', 'streams', 'tools.<name>.rule']) {
      const row = text.split('\n').find((line) => line.includes(`.mcp.${setting}\``)) ?? ''
      t.match(row, / More: \[[^\]]+\]\([a-z-]+\.md#[a-z-]+\)\. \|/, `the row of ${setting} leads to its guide`)
    }
    walk(ConfigurationFile as unknown as Schema, '')
    t.ok(count > 150, `${count} settings`)
    t.match(shown, /server\.limits\.perAddress/)
    t.match(text, /^\| `tests` \|.* a list of entries with call, with, as, .* at a reload \|$/m)
    t.match(text, /^\| `server\.baseUrl` \|.* at the next start \|$/m)
    t.notMatch(text, /\| (?:array|object|see below) \|/, 'a list says what its entries are')
  },
)

interface Schema {
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  default?: unknown
}

t.test('every metric that is exported is in the metrics reference, with its labels', async (t) => {
  const { registry } = createMetrics()
  const text = metricsReference(registry)
  const names = [...(await registry.metrics()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => `${name}`)
  t.ok(names.length > 60, `${names.length} metrics`)
  for (const name of names) t.ok(text.includes(`| \`${name}\` |`), name)
  t.match(text, /`portcullis_http_requests_total` \| counter \| `route`, `method`, `code`, `source` \|/)
  t.match(text, /`portcullis_http_request_duration_seconds` \| histogram \| `route`, `method` \|/)
  t.match(text, /portcullis_workers_expected/)
})

t.test('every command of the help is in the command reference, with its options', async (t) => {
  const text = await commandReference('1.2.3')
  const { out } = await runCommand(['--help'], { cwd: t.testdir() })
  const listed = [...(/\nServer:\n([\s\S]*?)\nExamples:\n/.exec(out)?.[1] ?? '').matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(
    ([, name = '']) => name,
  )
  t.ok(listed.length > 20)
  for (const name of listed.filter((one) => one !== 'help' && one !== 'complete')) {
    t.match(text, new RegExp(`^## portcullis ${name}$`, 'm'), name)
  }
  for (const wanted of [
    '### portcullis app create',
    '#### portcullis app federation add',
    '--redirect-uri',
    'Exit codes:',
  ]) {
    t.ok(text.includes(wanted), wanted)
  }
})

t.test('HTML in a page is text, and links lead nowhere else', async (t) => {
  const { html } = renderMarkdown(
    '<script>x</script>\n\na <b>b</b> [c](javascript:alert) [d](http://d.example) ![e](https://e.example/p.png)',
  )
  t.notMatch(html, /<script|<b>|javascript:|http:|<img/)
  t.match(html, /&lt;script&gt;/)
  t.match(
    renderMarkdown('[a](tokens.md#revoke) [b](https://b.example) [c](/errors)').html,
    /href="\/docs\/tokens#revoke".*href="https:\/\/b\.example".*href="\/errors"/,
  )
})

t.test('a page without a whole head is refused, and a library that could not be read is read again', async (t) => {
  for (const head of ['', '---\ntitle: A\n---\n', '---\ntitle: A\ngroup: B\norder: x\n---\n']) {
    t.throws(() => readSource('a', `${head}text`), /src\/docs\/a\.md needs a head/)
  }
  const folder = t.testdir({})
  let isThere = false
  const reference = { slug: 'a-reference', title: 'A', group: 'B', order: 1 }
  const library = createLibrary(folder, [
    {
      ...reference,
      write() {
        if (!isThere) throw new Error('not yet')
        return 'Text.'
      },
    },
  ])
  await t.rejects(library(), /not yet/)
  isThere = true
  t.match((await library()).pages, [{ slug: 'a-reference', html: '<p>Text.</p>\n' }])
})
