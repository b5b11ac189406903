// A service's OpenAPI document in the document of the API: what it says of its operations is told, under its title, with
// schemas of its own; what it says of anything else is not; and whatever it holds, the whole stays valid and bounded.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import t, { type Test } from 'tap'
import { loadSettings } from '../../src/config/read/load.js'
import { atOnce } from '../../src/config/reload/steps.js'
import { writeDocument } from '../../src/management/openapi/document.js'
import type { ApiDocument, ApiOperation } from '../../src/management/openapi/document-types.js'
import type { Reader } from '../../src/management/openapi/service-chapters.js'
import { curlText } from '../../src/portal/reference/curl.js'
import { type Schema, schemaText } from '../../src/portal/reference/schema-text.js'
import { createJudge } from '../run/judge/judge.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: unknown, more = {}) => ({ 'application/json': { schema, ...more } })
const posts = {
  openapi: '3.0.3',
  info: { title: 'Posts', description: 'What people write.' },
  paths: {
    '/posts': {
      get: {
        summary: 'Lists posts',
        parameters: [
          { name: 'limit', in: 'query', description: 'How many.', schema: { type: 'integer', maximum: 100 } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'Authorization', in: 'header', schema: { type: 'string' } },
          { name: 'sid', in: 'cookie', schema: { type: 'string' } },
        ],
        responses: { 200: { description: 'Posts', content: json({ type: 'array', items: ref('Post') }) } },
        security: [{ internal: [] }],
      },
      post: {
        summary: 'Writes a post',
        description: 'Everybody sees it.',
        requestBody: { required: true, content: json(ref('NewPost'), { example: { title: 'Hello' } }) },
        responses: {
          201: {
            description: 'Written',
            content: json(ref('Post')),
            headers: { Location: { schema: { type: 'string' } } },
          },
          404: { description: 'No such blog', content: json(ref('Problem')) },
          '5XX': { description: 'Broken', content: json(ref('Problem')) },
        },
      },
      delete: { 'x-internal': true, summary: 'Deletes everything', responses: {} },
    },
    '/posts/{postId}': {
      parameters: [{ name: 'postId', in: 'path', required: true, description: 'Which.', schema: { type: 'integer' } }],
      get: {
        summary: 'Reads a post',
        deprecated: true,
        responses: { 200: { description: 'It', content: json(ref('Post')) } },
      },
    },
    '/posts/drafts': { get: { summary: 'Lists drafts', responses: { 200: { description: 'Drafts' } } } },
    '/secret-plans': { get: { summary: 'Nobody reads this', responses: { 200: { content: json(ref('Secret')) } } } },
  },
  components: {
    schemas: {
      Post: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, next: ref('Post'), by: { type: 'string', nullable: true } },
      },
      NewPost: {
        type: 'object',
        required: ['title'],
        properties: { title: { type: 'string', minLength: 1, exclusiveMinimum: true } },
      },
      Problem: { type: 'object', properties: { what: { type: 'string' } } },
      Secret: { type: 'object' },
    },
  },
}

const head = `
version: 1
server: { baseUrl: "https://api.example" }
permissions: { P.Read: { describe: Reads posts, kinds: [application] } }
`
const usual = `
upstreams:
  posts: { target: "http://127.0.0.1:1", openapi: file:posts.json }
routes:
  GET /posts: { to: posts, require: P.Read }
  POST /posts: { to: posts, require: P.Read }
  DELETE /posts: { to: posts, require: P.Read }
  GET /posts/{id}: { to: posts, require: P.Read, deprecated: 2026-06-01, sunset: 2027-06-30, link: "https://docs.example/old" }
`

function documentOf(
  t: Test,
  rules: string,
  documents: Record<string, unknown>,
  reader: Reader = 'anybody',
): ApiDocument {
  const folder = mkdtempSync(join(t.testdir(), 'at-'))
  for (const [name, document] of Object.entries(documents)) {
    writeFileSync(join(folder, name), typeof document === 'string' ? document : JSON.stringify(document))
  }
  const file = join(folder, 'portcullis.yaml')
  writeFileSync(file, head + rules, { mode: 0o600 })
  const settings = loadSettings({ file, env: { PORTCULLIS_DATA: folder } })
  const bundled = { tag: 'Bundled', description: '', family: 'api', security: [], operations: {} } as const
  return atOnce(writeDocument({ routes: [], groups: [], bundled, settings, version: '1', reader }))
}

async function checkWhole(t: Test, document: ApiDocument): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
  t.ok(valid, JSON.stringify(errors)?.slice(0, 2000))
  const text = JSON.stringify(document)
  for (const [, kind = '', name = ''] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)) {
    if (!Object.hasOwn(document.components[kind as 'schemas'] ?? {}, name)) t.fail(`${kind} ${name}`)
  }
  t.equal([...text.matchAll(/"\$ref":"#\/components\/\w+\/\w+"/g)].length, text.split('"$ref":"').length - 1)
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
  t.equal(new Set(ids).size, ids.length, 'every operationId is one of a kind')
  const folder = mkdtempSync(join(t.testdir(), 'judged-'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'document.json'), text)
  const judge = createJudge(folder)
  for (const [url, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const status of Object.keys(responses)) {
        if (!Number.isInteger(Number(status))) continue
        const answer = {
          method: method.toUpperCase(),
          url,
          status: Number(status),
          type: 'application/json',
          body: '{}',
        }
        t.doesNotThrow(() => judge.hear(answer), `${url} ${status} can be judged`)
      }
    }
  }
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { schemas } = document.components
      curlText({ method: method.toUpperCase(), path, operation }, { baseUrl: 'https://api.example', schemas })
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
        t.ok(schemaText(schema as Schema, schemas).length < 200_000, `${path}: what is shown is bounded`)
      }
    }
  }
}

t.test('an operation is told as its service tells it, and who may is told by the gate', async (t) => {
  const document = documentOf(t, usual, { 'posts.json': posts })
  await checkWhole(t, document)
  const { get: list, post: write, delete: remove } = document.paths['/posts'] as Record<string, ApiOperation>
  t.match(list, {
    summary: 'Lists posts',
    tags: ['Posts'],
    security: [{ oauth2: ['P.Read'] }],
    'x-permissions': [['P.Read']],
  })
  t.same(
    list?.parameters?.map(({ name, in: place }) => `${place} ${name}`),
    ['query limit', 'header X-Trace'],
    'no cookies, and nothing that the gate takes for itself',
  )
  t.match(list?.parameters?.[0], {
    description: 'How many.',
    required: false,
    schema: { type: 'integer', maximum: 100 },
  })
  t.match(list?.responses['200'], {
    content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Posts_Post' } } } },
  })
  t.match(write, { summary: 'Writes a post', description: 'Everybody sees it.' })
  t.match(write?.requestBody, {
    required: true,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Posts_NewPost' }, example: { title: 'Hello' } },
    },
  })
  t.equal(write?.responses['200'], undefined, 'what it answers is known')
  t.match(write?.responses['201'], { headers: { Location: {} } })
  const either = {
    'application/json': {
      schema: { anyOf: [{ $ref: '#/components/schemas/Posts_Problem' }, { $ref: '#/components/schemas/ApiError' }] },
    },
  }
  t.match(write?.responses['404'], { description: 'No such blog', content: either }, 'of the service or of the gate')
  t.match(write?.responses['502'], { description: 'Broken', content: either })
  t.match(write?.responses['401'], { $ref: '#/components/responses/BearerError' })
  t.match(remove, { summary: 'DELETE /posts', tags: ['Posts'] }, 'what is marked internal is not told')
  t.same(document.components.schemas['Posts_Post'], {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      next: { $ref: '#/components/schemas/Posts_Post' },
      by: { type: ['string', 'null'] },
    },
  })
  t.same(document.tags, [{ name: 'Posts', description: 'What people write.', 'x-api': {} }])
  const text = JSON.stringify(document)
  for (const word of ['Secret', 'secret-plans', 'drafts', 'Deletes everything', 'internal', '127.0.0.1', 'upstream']) {
    t.notMatch(text, word, 'nothing of what no route leads to')
  }
})

t.test('a parameter has the name that the route gives it; the end of a route is told with its days', async (t) => {
  const document = documentOf(t, usual, { 'posts.json': posts })
  const read = document.paths['/posts/{id}']?.['get']
  t.match(read, { summary: 'Reads a post', deprecated: true })
  t.same(read?.parameters, [
    { name: 'id', in: 'path', required: true, description: 'Which.', schema: { type: 'integer' } },
  ])
  t.same(read?.['x-end'], { deprecated: '2026-06-01', sunset: '2027-06-30', link: 'https://docs.example/old' })
  const byService = documentOf(t, usual.replace(/, deprecated:.*"/, ''), { 'posts.json': posts })
  t.match(byService.paths['/posts/{id}']?.['get'], { deprecated: true }, 'the document of the service says so too')
  t.equal(byService.paths['/posts/{id}']?.['get']?.['x-end'], undefined)
})

t.test('below a route that ends in ** every operation is told that gets there, and no other', async (t) => {
  const rules = `
upstreams:
  posts: { target: "http://127.0.0.1:1/v1", openapi: file:posts.json }
  other: { target: "http://127.0.0.1:2" }
routes:
  GET /blog/**: { to: posts, require: P.Read, rewrite: { from: /blog, to: /posts } }
  GET /blog/drafts: { to: other, public: true }
`
  const based = { ...posts, servers: [{ url: 'https://posts.internal/v1' }] }
  const document = documentOf(t, rules, { 'posts.json': based })
  t.same(Object.keys(document.paths).sort(), ['/blog/drafts', '/blog/{postId}', '/blog/{rest}'])
  t.match(document.paths['/blog/{postId}']?.['get'], {
    summary: 'Reads a post',
    parameters: [{ name: 'postId', in: 'path' }],
  })
  t.match(document.paths['/blog/drafts']?.['get'], { summary: 'GET /blog/drafts', tags: ['Services behind the gate'] })
  const validated = documentOf(t, rules.replace('P.Read,', 'P.Read, validate: true,'), { 'posts.json': based })
  t.same(Object.keys(validated.paths).sort(), ['/blog/drafts', '/blog/{postId}'], 'with validate there is nothing else')
  const elsewhere = documentOf(t, rules, { 'posts.json': posts })
  t.same(Object.keys(elsewhere.paths).sort(), ['/blog/drafts', '/blog/{rest}'], 'paths are those of its servers')
})

t.test('two services of one title, and a title of ours, have names of their own', async (t) => {
  const rules = `
upstreams:
  one: { target: "http://127.0.0.1:1", openapi: file:one.json }
  two: { target: "http://127.0.0.1:1", openapi: file:two.json }
  three: { target: "http://127.0.0.1:1", openapi: file:three.json }
routes:
  GET /posts: { to: one, require: P.Read }
  POST /posts: { to: two, require: P.Read }
  GET /posts/{id}: { to: three, require: P.Read }
`
  const document = documentOf(t, rules, {
    'one.json': posts,
    'two.json': { ...posts, info: { title: 'posts' } },
    'three.json': { ...posts, info: { title: 'Bundled' } },
  })
  t.same(
    document.tags.map(({ name }) => name),
    ['Posts', 'posts 2', 'Bundled 2'],
  )
  t.same(
    Object.keys(document.components.schemas)
      .filter((name) => name.endsWith('Post'))
      .sort(),
    ['Bundled_Post', 'Posts_Post', 'posts2_NewPost', 'posts2_Post'],
  )
})

t.test('the configuration says who reads it', async (t) => {
  const limited = (who: string) => usual.replace('file:posts.json', `file:posts.json, documentation: ${who}`)
  const summaryFor = (who: string, reader: Reader) =>
    documentOf(t, limited(who), { 'posts.json': posts }, reader).paths['/posts']?.['get']?.summary
  t.equal(summaryFor('members', 'anybody'), 'GET /posts')
  t.equal(summaryFor('members', 'members'), 'Lists posts')
  t.equal(summaryFor('nobody', 'members'), 'GET /posts')
  t.equal(summaryFor('everybody', 'anybody'), 'Lists posts')
  t.throws(() => summaryFor('friends', 'anybody'), 'and nothing else')
})

t.test('whatever a document holds, ours stays whole, bounded and without hidden characters', async (t) => {
  const script = '</code><script>window.ran=1</script>'
  const turned = 'abc\u202edcba\u0000\u2028'
  const many = Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`p${n}`, ref(`Wide`)]))
  const hostile = {
    openapi: '3.1.0',
    info: { title: `${turned}${script}${'x'.repeat(500)}`, description: 'y'.repeat(50_000) },
    paths: {
      '/posts': {
        get: {
          summary: `${script}\n${turned}`,
          description: `${'z'.repeat(9_000)}${turned}`,
          operationId: 'constructor',
          tags: ['Tokens'],
          parameters: [
            {
              name: '$(touch /tmp/ran)',
              in: 'query',
              required: true,
              schema: { type: 'string', example: "'; touch /tmp/ran '" },
            },
            { name: '__proto__', in: 'query', schema: { type: 'string', pattern: '(' } },
            { name: 'bad\nname: x', in: 'header', schema: {} },
            { name: 'limit', in: 'query', schema: { $ref: 'https://evil.example/schema.json' } },
            { name: 'again', in: 'query', schema: false },
            { $ref: '#/components/parameters/Circle' },
            'nothing',
          ],
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: ref('Wide') }, 'bad type': {} },
              links: { a: {} },
            },
            404: { $ref: 'https://evil.example/' },
            999: { description: 'no status' },
            default: 'nothing',
          },
          callbacks: { a: {} },
          'x-anything': { secret: 'internal-note' },
        },
        post: {
          requestBody: { content: json(ref('Deep')) },
          responses: { 200: { description: 'ok', content: json({ $ref: '#/components/nothing/There' }) } },
        },
      },
      '/posts/{postId}': { get: { responses: null } },
    },
    components: {
      parameters: { Circle: { $ref: '#/components/parameters/Circle' } },
      schemas: {
        Wide: {
          type: 'object',
          $id: 'https://evil.example/id',
          xml: {},
          description: script,
          properties: { ...many, ['__proto__']: ref('Deep'), $ref: { type: 'string' } },
          required: ['constructor', 7, '__proto__'],
          example: { $ref: '#/components/schemas/Deep', a: { b: 'c'.repeat(100_000) } },
        },
        Deep: { allOf: [ref('Deep2'), ref('Deep2'), ref('Deep2')] },
        Deep2: {
          allOf: [ref('Deep3'), ref('Deep3'), ref('Deep3')],
          required: ['a', 'b'],
          properties: { a: ref('Deep'), b: ref('Deep') },
        },
        Deep3: { allOf: Array.from({ length: 90 }, () => ref('Deep2')) },
      },
    },
  }
  // What requests are checked by is refused when it is loaded; the same in what only answers have is left out.
  const inAnswers = structuredClone(hostile)
  const unsafe = inAnswers.paths['/posts'].get.parameters
  inAnswers.paths['/posts'].get.parameters = [unsafe[0], unsafe[4]] as typeof unsafe
  const answered = inAnswers.components.schemas.Wide
  ;(inAnswers.paths['/posts'].get.responses[200].content['application/json'] as unknown) = {
    schema: {
      ...answered,
      properties: { ...answered.properties, out: { $ref: 'https://evil.example/x' }, odd: { pattern: '(' } },
    },
  }
  const { Wide: _wide, ...schemas } = inAnswers.components.schemas
  const given = { ...inAnswers, components: { schemas: { ...schemas, Wide: { type: 'string' } } } }
  const document = documentOf(t, usual, { 'posts.json': given })
  await checkWhole(t, document)
  const text = JSON.stringify(document)
  t.ok(text.length < 2_000_000, `${text.length} characters`)
  for (const word of ['evil.example', 'internal-note', '\u202e', '\\u0000', '\u2028', '$id', 'bad type']) {
    t.notOk(text.includes(word), word)
  }
  const get = document.paths['/posts']?.['get'] as ApiOperation
  t.equal(get.operationId, 'getPosts')
  t.match(get.tags, [/^abcdcba/])
  t.ok((get.tags[0] ?? '').length <= 80)
  t.ok((get.description ?? '').length <= 4_000)
  const command = curlText(
    { method: 'GET', path: '/posts', operation: get },
    { baseUrl: 'https://api.example', schemas: {} },
  )
  t.notMatch(command, '$(')
  t.match(command, '%24%28touch')
})

t.test('a document that is too large is told as far as there is room', async (t) => {
  const paths = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [
      `/posts/part${n}`,
      {
        get: {
          summary: `Part ${n}`,
          description: 'd'.repeat(4_000),
          responses: { 200: { description: 'ok', content: json(ref('Big')) } },
        },
      },
    ]),
  )
  const properties = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, n) => [`p${n}`, { type: 'string', description: 'e'.repeat(300) }]),
  )
  const large = { openapi: '3.1.0', info: { title: 'Large' }, paths, components: { schemas: { Big: { properties } } } }
  const rules = usual.replace(/routes:[\s\S]*/, 'routes:\n  GET /posts/**: { to: posts, require: P.Read }\n')
  const started = performance.now()
  const document = documentOf(t, rules, { 'posts.json': large })
  t.comment(`${Math.round(performance.now() - started)} ms`)
  const text = JSON.stringify(document)
  t.ok(text.length < 2_500_000, `${text.length} characters`)
  t.match(document.paths['/posts/{rest}'], { get: {} })
  t.match(document.paths['/posts/part0']?.['get'], { summary: 'Part 0' })
})
