// The portal in front of the management API on real lower rooms, with people of a tenant and browsers without a screen.

import type { FastifyInstance } from 'fastify'
import type { Role } from '../../../src/config/settings/settings.js'
import { addOwner } from '../../../src/directory/applications/owners.js'
import type { Registration } from '../../../src/directory/records.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import type { Download } from '../../../src/downloads/downloads.js'
import type { DevelopmentAuthority } from '../../../src/http/tls/development-ca.js'
import { createInProcessTransport, type InTheNameOf } from '../../../src/management/access/in-process-transport.js'
import { portalRoutes } from '../../../src/portal/index.js'
import type { User } from '../../../src/users/records.js'
import { createSession } from '../../../src/users/sessions/sessions.js'
import { createScriptedBrowser, type ScriptedBrowser, type Shown } from '../browser/scripted-browser.js'
import { createKnownUser } from '../people/known-password.js'
import { baseUrl } from './directory.js'
import { testServer } from './http-server.js'
import { emptyDocument, type ManagementApp, type ManagementOptions, openManagement } from './management.js'

export interface PortalApp extends ManagementApp {
  tenantId: string
  /** The patterns of all pages below /portal, as they registered; no assets. */
  pages: string[]
  /** An application of the tenant; see registerDemo. */
  registration: Registration
  secret: string
  browser(): ScriptedBrowser
  person(name: string, role?: Role, tenantId?: string): Promise<User>
  /** A browser in which somebody of that role is signed in. */
  as(role: Role, tenantId?: string): Promise<ScriptedBrowser>
  signIn(browser: ScriptedBrowser, userId: string): Promise<void>
  /** The events of the ledger, oldest first. */
  events(): Promise<{ event: string; actor: Record<string, unknown>; details: Record<string, unknown> }[]>
}

/** Opens everything; it is torn down with the test. */
export async function openPortal(
  t: { testdir(): string; teardown(work: () => unknown): void },
  options: ManagementOptions & { clientDownload?: Download; authority?: DevelopmentAuthority } = {},
): Promise<PortalApp> {
  const testApp = await openManagement(t, options)
  const transport = createInProcessTransport()
  const app = testServer({ baseUrl, metrics: testApp.metrics })
  const pages: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().includes('GET') && url.startsWith('/portal')) pages.push(url)
  })
  app.register(
    portalRoutes({
      ...testApp.deps,
      settings: {
        ...testApp.settings,
        data: { folder: 'data' },
        revocation: {
          staleAfterMs: 5_000,
          pollMs: 500,
          bounds: { perApplication: 5_000, perUser: 500, credentials: 100 },
        },
      },
      manage: (who, call) => transport.call(asking(testApp, who), who, call),
      version: '1.2.3',
      document: options.document ?? (() => emptyDocument),
      clientDownload: async () => options.clientDownload,
      authority: options.authority,
    }),
  )
  await app.ready()
  t.teardown(() => app.close())
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  // Developers own what there is: the pages are what is tested here, whose an application is has tests of its own.
  const [developers, applications] = [[] as string[], [] as string[]]
  const own = (applicationId: string, ownerId: string) =>
    addOwner(testApp.writes, applicationId, { kind: 'user', ownerId })
  const registerDemo: PortalApp['registerDemo'] = async (more) => {
    const made = await testApp.registerDemo(more)
    if (made.tenantId !== tenantId) return made
    applications.push(made.registration.applicationId)
    for (const developer of developers) await own(made.registration.applicationId, developer)
    return made
  }
  const { registration, secret } = await registerDemo({ tenantId })
  let count = 0
  const browser = () =>
    createScriptedBrowser(baseUrl, async ({ method, path, headers, body, bytes }) => {
      const payload = bytes ?? body
      const request = { method, url: path, headers, ...(payload === undefined ? {} : { payload }) }
      const own = { host: 'portcullis.test', 'x-forwarded-proto': 'https' }
      const answer = await (path.startsWith('/portal')
        ? app.inject({ ...request, headers: { ...own, ...headers } })
        : testApp.ask(request))
      return { status: answer.statusCode, headers: answer.headers as Shown['headers'], body: answer.body }
    })
  const person: PortalApp['person'] = async (name, role = 'developer', where = tenantId) => {
    const made = await createKnownUser(testApp.deps.users, {
      ...{ email: `${name.toLowerCase()}@example.test`, name: `${name} Example` },
      ...{ password: 'nine quiet purple lanterns', membership: { tenantId: where, role } },
    })
    if (role !== 'developer' || where !== tenantId) return made
    developers.push(made.userId)
    for (const application of applications) await own(application, made.userId)
    return made
  }
  const signIn: PortalApp['signIn'] = async (where, userId) => {
    const about = { userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1' }
    const { cookie } = await createSession(testApp.deps.users, about)
    where.cookies.set('__Host-portcullis-session', cookie)
  }
  return {
    ...{ ...testApp, registerDemo, pages, tenantId, registration, secret, browser, person, signIn },
    async as(role, where) {
      const made = browser()
      await signIn(made, (await person(`${role}-${++count}`, role, where)).userId)
      return made
    },
    async events() {
      const rows = await testApp.store.reader.selectFrom('ledger').selectAll().orderBy('position').execute()
      return rows.map(({ event, actor, details }) => ({
        event,
        ...{ actor: JSON.parse(actor), details: JSON.parse(details) },
      }))
    },
  }
}

/** The test app's own management server, in the name of somebody at the portal. */
function asking(testApp: ManagementApp, who: InTheNameOf): FastifyInstance {
  const inject: Pick<FastifyInstance, 'inject'>['inject'] = (async (injected: {
    method: 'GET'
    url: string
    headers: Record<string, string>
    payload?: string
  }) => {
    const { requestId: _requestId, address: _address, ...principal } = who
    testApp.caller.principal = { kind: 'session', ...principal }
    return testApp.manage(injected.method, injected.url.replace(/^\/api\/v2/, ''), injected.payload, injected.headers)
  }) as never
  return { inject } as FastifyInstance
}
