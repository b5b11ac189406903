// A running program with somebody who can sign in, and browsers without a screen that talk to it over TLS.

import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalClient } from '../../../src/cli/calls/local-client.js'
import { type ManagementCalls, managementCalls } from '../../../src/cli/calls/management-calls.js'
import { peopleCalls } from '../../../src/cli/calls/people-calls.js'
import { createFormBrowser, type FormAnswer, type FormBrowser } from '../browser/form-browser.js'
import { plantSetUpLink } from './planted-link.js'
import { type Program, type ProgramOptions, startProgram } from './program.js'

export interface PeopleProgram {
  program: Program
  manage: ManagementCalls
  /** Who owns the tenant. */
  person: { name: string; email: string; password: string }
  /** A new browser. */
  browse(): FormBrowser
  /** One request from this process, as an application would send it. */
  ask(
    path: string,
    options?: { method?: string; headers?: Record<string, string>; form?: Record<string, string>; body?: string },
  ): Promise<FormAnswer>
  /** Opens an address of the authorization endpoint, signs in and accepts; the address that the browser is sent to. */
  authorize(url: string): Promise<URL>
}

type Configured = Pick<ProgramOptions, 'config' | 'ports'>

interface Test {
  teardown(work: () => unknown): void
}

/**
 * Starts one, by another command than the usual where there is one; it is stopped with the test. `configure` writes a
 * configuration into the folder that it gets and resolves with its options.
 */
export async function startWithPeople(
  t: Test,
  { configure, ...own }: { command?: readonly string[]; configure?: (cwd: string) => Configured } = {},
): Promise<PeopleProgram> {
  // A socket's path has room for 103 bytes, and tap's own folders are named after the whole test.
  const cwd = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const program = await startProgram({ cwd, ...own, ...configure?.(cwd) })
  t.teardown(() => program.stop())
  const person = { name: 'Ada Lovelace', email: 'ada@contoso.test', password: 'seven unrelated green words' }
  const browse = () => browseProgram(program)
  const first = browse()
  await first.open(await plantSetUpLink(program))
  const page = await first.submit(person, { form: 'set-up-form' })
  if (page.status !== 200) throw new Error(page.body)
  // Applications get an address only when it is confirmed.
  const local = createLocalClient(join(program.folder, 'admin.sock'))
  await peopleCalls(local).changeUser(person.email, { emailVerified: true })
  return {
    ...{ program, person, browse },
    manage: managementCalls(createLocalClient(join(program.folder, 'admin.sock'))),
    ask(path, { method = 'GET', headers = {}, form, body } = {}) {
      if (form === undefined)
        return exchange(program, path, { method, headers, ...(body === undefined ? {} : { payload: body }) })
      const payload = new URLSearchParams(form).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      return exchange(program, path, { method: 'POST', headers: { ...type, ...headers }, payload })
    },
    async authorize(url) {
      const browser = browse()
      const { origin, pathname, search } = new URL(url)
      if (origin !== program.baseUrl) throw new Error(`not our origin: ${url}`)
      await browser.open(pathname + search)
      await signInAndAccept(browser, person)
      if (browser.page.left === undefined) throw new Error(`nobody was sent anywhere:\n${browser.page.body}`)
      return new URL(browser.page.left)
    },
  }
}

/** A new browser that talks to a running program. */
export function browseProgram(program: Program): FormBrowser {
  return createFormBrowser(program.baseUrl, ({ url, ...sent }) => exchange(program, url, sent))
}

/** Does what the pages ask of a person, from sign-in on, as far as they are shown. */
export async function signInAndAccept(
  browser: FormBrowser,
  { email, password }: { email: string; password: string },
): Promise<void> {
  if (browser.page.body.includes('id="sign-in-form"')) {
    await browser.submit({ email, password }, { form: 'sign-in-form' })
  }
  if (browser.page.body.includes('id="accept"')) await browser.submit({}, { form: 'consent', button: 'accept' })
}

function exchange(
  program: Program,
  path: string,
  { method, headers, payload }: { method: string; headers: Record<string, string>; payload?: string },
): Promise<FormAnswer> {
  const length = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...headers, ...length }, ca: program.ca() }
    const asking = request(`${program.baseUrl}${path}`, options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('error', reject)
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }),
      )
    })
    asking.once('error', reject)
    asking.end(payload)
  })
}
