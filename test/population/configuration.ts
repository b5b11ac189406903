// The file that ships, its limits untouched, with a service of somebody's behind it.

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'

/** What the service says of itself. */
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: {
    '/v/things': {
      post: {
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: {},
      },
    },
  },
}

/** The text of it. Writes beside it, into `folder`, what it names. */
export function defaultConfigText(servicePort: number, folder: string): string {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  writeFileSync(join(folder, 'things.json'), JSON.stringify(openapi))
  cpSync(join(dirname(defaultConfigFile()), 'portcullis.schema.json'), join(folder, 'portcullis.schema.json'))
  document.setIn(['include'], [])
  document.setIn(['log', 'access'], false)
  document.setIn(['upstreams', 'things'], { target: `http://localhost:${servicePort}`, openapi: 'file:things.json' })
  document.setIn(['routes', 'GET,POST /t/**'], { to: 'things', require: 'assets_read' })
  document.setIn(['routes', 'GET,POST /pub/**'], { to: 'things', public: true })
  document.setIn(['routes', 'GET /s/**'], { to: 'things', require: 'assets_read', stream: true })
  document.setIn(['routes', 'POST /v/things'], { to: 'things', public: true, validate: true })
  return document.toString()
}
