// One application of each kind, and the first call of each in any language, pasted from the page that the portal shows.

import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser } from '../browser/browser.js'
import { copyLanguage, endProgram, pasteBlocks, type Started, signInAt } from './pasted-snippets.js'
import { type PeopleProgram, startWithPeople } from './people-program.js'
import { freePort } from './program.js'

export type SnippetKind = 'server' | 'web' | 'native' | 'native at its port'

export interface SnippetBench extends PeopleProgram {
  /** Somebody of the tenant is signed in there. */
  page: Page
  /** By kind, the application's identifier. */
  applications: Readonly<Record<SnippetKind, string>>
  /** An empty folder. */
  emptyFolder(): string
  /** Opens the page of the application. */
  show(applicationId: string): Promise<void>
}

/** What each kind calls: the first route that its permissions open. */
export const calls: Readonly<Record<SnippetKind, string>> = {
  server: 'GET /api/v2/subscriptions',
  web: 'GET /api/v2/me',
  native: 'GET /api/v2/me',
  'native at its port': 'GET /api/v2/me',
}

/** Starts everything, the program by `started.command` where there is one; it is torn down with the test. */
export async function openSnippets(
  t: { teardown(work: () => unknown): void },
  started: { command?: readonly string[] } = {},
): Promise<SnippetBench> {
  const people = await startWithPeople(t, started)
  const { program, manage, person } = people
  const browser = await startBrowser()
  t.teardown(() => browser.close())
  const permissions = ['clipboard-read', 'clipboard-write']
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl, permissions })
  const page = await context.newPage()
  await page.goto('/portal')
  await page.fill('#email', person.email)
  await page.fill('#password', person.password)
  await page.click('#sign-in')
  const delegated = [{ kind: 'delegated' as const, id: 'User.Read' }]
  const own = [{ kind: 'application' as const, id: 'Subscription.Read.All' }]
  const create = async (about: Parameters<typeof manage.createApplication>[0]) =>
    (await manage.createApplication(about)).applicationId
  const server = await create({ name: 'Job', type: 'web', permissions: own })
  await manage.grantConsent(server, { permissions: own })
  const at = async () => `http://localhost:${await freePort()}/callback`
  const applications = {
    server,
    web: await create({ name: 'Site', type: 'web', redirectUris: [await at()], permissions: delegated }),
    native: await create({
      ...{ name: 'Tool', type: 'native', permissions: delegated },
      redirectUris: ['com.example.tool:/back', 'http://127.0.0.1/callback'],
    }),
    'native at its port': await create({
      ...{ name: 'Tool at a port', type: 'native', permissions: delegated },
      redirectUris: [await at()],
    }),
  }
  return {
    ...people,
    page,
    applications,
    emptyFolder() {
      const folder = mkdtempSync(join(tmpdir(), 'pcl-pasted-'))
      t.teardown(() => rmSync(folder, { recursive: true, force: true }))
      return folder
    },
    async show(applicationId) {
      await page.goto(`/portal/applications/${applicationId}`)
    },
  }
}

/**
 * What the page says that the programs call, and what the person at the first call reads in the end: what the program
 * printed, or what the page shows.
 */
export async function firstCall(
  bench: SnippetBench,
  language: string,
  kind: SnippetKind,
): Promise<{ call: string | null; answer: string }> {
  const { applications, emptyFolder } = bench
  const cwd = emptyFolder()
  // The browser may still be opening an address of a program that has ended, so each call has a page of its own.
  const page = await bench.page.context().newPage()
  try {
    if (kind === 'server' || kind === 'web') await takeSecret(page, applications[kind], cwd)
    await page.goto(`/portal/applications/${applications[kind]}`)
    const call = await page.textContent('#first-call')
    const started = await pasteBlocks(cwd, await copyLanguage(page, language))
    try {
      return { call, answer: await answerOf(page, started, { language, kind }) }
    } finally {
      await endProgram(started)
    }
  } finally {
    await page.close()
  }
}

async function answerOf(
  page: Page,
  started: Started,
  { language, kind }: { language: string; kind: SnippetKind },
): Promise<string> {
  if (kind === 'server') return printed(started)
  if (language === 'curl') return byAddress(page, started)
  const [, url = ''] = await started.says(/Open in a browser: (\S+)/)
  const unused = await openUnused(url)
  try {
    await signInAt(page, url)
  } finally {
    unused.destroy()
  }
  if (kind === 'web') return (await page.textContent('body')) ?? ''
  return (await printed(started)).replace(/^.*Open in a browser: \S+\s*/s, '')
}

/** A connection that is not used, as browsers open some. The program listens when it says so, and serves others beside it. */
async function openUnused(address: string): Promise<Socket> {
  const url = new URL(address)
  const { hostname, port } = new URL(url.searchParams.get('redirect_uri') ?? url)
  const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) })
  await once(socket, 'connect')
  return socket.on('error', () => undefined)
}

/** portcullis.env, as the page gives it with a new secret. */
async function takeSecret(page: Page, applicationId: string, cwd: string): Promise<void> {
  await page.goto(`/portal/applications/${applicationId}/credentials`)
  await page.click('#rotate')
  writeFileSync(join(cwd, 'portcullis.env'), `${await page.inputValue('#env')}\n`)
  // Leaving asks otherwise.
  await page.click('#client-secret-copy')
}

async function printed(started: Started): Promise<string> {
  const status = await started.ended
  if (status !== 0) throw new Error(`it ended with ${status}:\n${started.output()}`)
  return started.output()
}

async function byAddress(page: Page, started: Started): Promise<string> {
  const [, url = ''] = await started.says(/\n(https:\S+)\n/)
  started.child.stdin?.end(`${await signInAt(page, url)}\n`)
  return (await printed(started)).replace(/^.*?https:\S+\n/s, '')
}
