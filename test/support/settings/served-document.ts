// The document of the API for a configuration that a test writes, with documents of services beside it: the same
// that a server with these rules would have, without the server. Its own API has the permissions of rooms/directory.ts.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSettings } from '../../../src/config/read/load.js'
import { atOnce } from '../../../src/config/reload/steps.js'
import type { Settings } from '../../../src/config/settings/settings.js'
import { writeDocument } from '../../../src/management/openapi/document.js'
import type { ApiDocument } from '../../../src/management/openapi/document-types.js'
import type { Reader } from '../../../src/management/openapi/service-chapters.js'
import { baseUrl } from '../rooms/directory.js'

const head = `
version: 1
server: { baseUrl: "${baseUrl}" }
permissions:
  User.Read.All: { describe: Reads people, kinds: [application, delegated] }
  assets_read: { describe: Reads assets, kinds: [application, delegated] }
resources:
  things: { id: https://things.test, name: Things, permissions: { things_read: { describe: Reads things, kinds: [application] } } }
`
const bundled = { tag: 'Bundled', description: '', family: 'api', security: [], operations: {} } as const

/** `rules`: upstreams and routes, whose documents are `documents` by file name. */
export function servedDocument(
  t: { testdir(): string },
  rules: string,
  documents: Readonly<Record<string, object>>,
): { settings: Settings; document: (reader: Reader) => ApiDocument } {
  const folder = mkdtempSync(join(t.testdir(), 'served-'))
  for (const [name, document] of Object.entries(documents)) {
    writeFileSync(join(folder, name), JSON.stringify(document))
  }
  const file = join(folder, 'portcullis.yaml')
  writeFileSync(file, head + rules, { mode: 0o600 })
  const settings = loadSettings({ file, env: { PORTCULLIS_DATA: folder } })
  const write = (reader: Reader) =>
    atOnce(writeDocument({ routes: [], groups: [], bundled, settings, version: '1', reader }))
  const written = { anybody: write('anybody'), members: write('members') }
  return { settings, document: (reader) => written[reader] }
}

const json = (schema: object) => ({ 'application/json': { schema } })
const post = { $ref: '#/components/schemas/Post' }

/** A service with an operation that ends, one that is marked internal, and one that no route leads to. */
export const postsService = {
  openapi: '3.1.0',
  info: {
    title: 'Posts',
    version: '2.3.0',
    description: 'What people write.',
    contact: { name: 'Team Posts', email: 'posts@example.test', url: 'https://posts.example.test/help' },
  },
  paths: {
    '/posts': {
      get: {
        summary: 'Lists posts',
        responses: { 200: { description: 'Posts', content: json({ type: 'array', items: post }) } },
      },
      post: {
        summary: 'Writes a post',
        requestBody: { required: true, content: { 'application/json': { schema: post, example: { title: 'Hello' } } } },
        responses: { 201: { description: 'Written', content: json(post) } },
      },
      delete: { 'x-internal': true, summary: 'Deletes everything', responses: {} },
    },
    '/posts/{id}': { get: { summary: 'Reads a post', responses: { 200: { description: 'It', content: json(post) } } } },
    '/drafts': { get: { summary: 'Lists drafts', responses: {} } },
  },
  components: { schemas: { Post: { type: 'object', properties: { title: { type: 'string' } } } } },
}

/** Rules for it: one route of it ends, and a service without a document that takes tokens for another API. */
export const postsRules = `
upstreams:
  posts: { target: "http://127.0.0.1:1", openapi: file:posts.json }
  things: { target: "http://127.0.0.1:2" }
routes:
  GET /posts: { to: posts, require: User.Read.All }
  POST /posts: { to: posts, require: assets_read }
  GET /posts/{id}: { to: posts, require: User.Read.All, deprecated: 2026-06-01, sunset: 2027-06-30, link: "https://docs.example/old" }
  GET /things: { to: things, resource: things, require: things_read }
`
