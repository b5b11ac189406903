// Configuration files for tests: written into a folder of the test, loaded, and their mistakes read back.

import { join } from 'node:path'
import { loadSettings } from '../../../src/config/read/load.js'
import { ConfigurationErrors, formatProblem } from '../../../src/config/report/problem.js'
import type { Settings } from '../../../src/config/settings/settings.js'

/** What is needed of a tap test. */
interface Folder {
  testdir(content: Record<string, string>): string
}

/** Eleven different mistakes, each on a line of its own. */
export const ELEVEN = `version: 1
mode: prodction
server:
  baseUrl: https://api.example.com/base
  operator: 127.0.0.1:9464
  operator: 127.0.0.1:9465
  trustedProxies: [10.0.0.0/8, 10.0.0.0/64]
  timeouts:
    headers: 10
    keepalive: 72s
secrets:
  masterKeys: \${NOT_SET_ANYWHERE}
permissions:
  User.Read.All: { describe: Read }
upstreams:
  backend: { target: builtin:backend }
routes:
  GET /api/v2/me: { to: bakend, require: User.Read.All }
  GET /api/v2/things: { to: backend, require: User.Raed.All }
  GET /api/v2/open: { to: backend }
  POST /API/v2/OAuth/token: { to: backend, public: true }
`

/** Loads a configuration from text; `files` lie beside it. Throws ConfigurationErrors. */
export function settingsFrom(
  t: Folder,
  text: string,
  env: NodeJS.ProcessEnv = {},
  files: Record<string, string> = {},
): Settings {
  const folder = t.testdir({ 'portcullis.yaml': text, ...files })
  return loadSettings({ file: join(folder, 'portcullis.yaml'), env, cwd: folder })
}

/** The mistakes of a configuration as `line:column path: what`; empty when it loads. */
export function mistakesOf(
  t: Folder,
  text: string,
  env: NodeJS.ProcessEnv = {},
  files: Record<string, string> = {},
): string[] {
  try {
    settingsFrom(t, text, env, files)
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationErrors)) throw error
    return error.problems.map((problem) => formatProblem({ ...problem, file: '' }).slice(1))
  }
}
