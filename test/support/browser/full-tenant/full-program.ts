// A running program whose first tenant has been there for a while, and the browser of who owns it.

import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultConfigFile } from '../../../../src/config/read/package-root.js'
import { openSqliteStore } from '../../../../src/storage/sql/sqlite/sqlite.js'
import type { Store } from '../../../../src/storage/sql/store.js'
import { browseProgram } from '../../programs/people-program.js'
import { plantSetUpLink } from '../../programs/planted-link.js'
import { freePort, type Program, startProgram } from '../../programs/program.js'
import { plantToolChange } from '../planted-tool-change.js'
import type { PageIds } from '../portal-pages.js'
import { retellAudit } from './audit-past.js'
import { addPeoplePast } from './people-past.js'
import { type Registered, registerTenant } from './registered.js'
import { addTraffic } from './traffic-past.js'

const dayMs = 86_400_000

/** Who owns it, and looks after the server. */
export const ada = { name: 'Ada Lovelace', email: 'ada@contoso.example', password: 'nine quiet purple lanterns' }

export interface FullProgram {
  program: Program
  registered: Registered
  ids: PageIds
}

/** Starts one in an empty folder; the caller stops it. */
export async function startFullProgram(
  cwd: string,
  fill: { applications: number; events: number },
): Promise<FullProgram> {
  const ports = { public: await freePort(), operator: await freePort() }
  const options = { cwd, ports, config: configured(join(cwd, 'portcullis.yaml')) }
  const first = await startProgram(options)
  const registered = await register(first, fill.applications).finally(() => first.stop())
  const store = await openSqliteStore({ file: join(first.folder, 'portcullis.db'), busyTimeoutMs: 30_000 })
  const aged = await age(store, first, { registered, events: fill.events }).finally(() => store.close())
  return { program: await startProgram(options), registered, ids: { ...registered.ids, ...aged } }
}

async function register(program: Program, applications: number): Promise<Registered> {
  const browser = browseProgram(program)
  await browser.open(await plantSetUpLink(program))
  await browser.submit(ada, { form: 'set-up-form' })
  return registerTenant(program, applications)
}

/** As if all that had been done over the years. The identifiers of a delivery that failed, and of a tool that changed. */
async function age(
  store: Store,
  { folder, baseUrl }: Program,
  { registered, events }: { registered: Registered; events: number },
): Promise<Pick<PageIds, 'deliveryId' | 'changeId'>> {
  const { tenantId, applications, people } = registered
  const resource = `${baseUrl}/api/v2`
  const found = store.reader.selectFrom('users').select('id').where('email_key', '=', ada.email)
  const owner = (await found.executeTakeFirstOrThrow()).id
  await ageApplications(store, applications)
  await addTraffic(store, { tenantId, applications: applications.slice(0, 60), resource })
  await addPeoplePast(store, { registered, owner, resource })
  await retellAudit(store, { folder, people: [owner, ...people], events })
  return { deliveryId: await addDeliveries(store, registered), changeId: await plantToolChange(store) }
}

async function ageApplications(store: Store, applications: readonly string[]): Promise<void> {
  const now = Date.now()
  await store.transaction(async (tx) => {
    for (const [index, id] of applications.entries()) {
      const at = now - (applications.length - index) * 3 * dayMs
      await tx.updateTable('applications').set({ created_at: at, updated_at: at }).where('id', '=', id).execute()
      const times = { starts_at: at, created_at: at, ends_at: now + (4 + index) * dayMs }
      const used = index % 5 === 0 ? null : now - index * 3_600_000
      const secrets = tx.updateTable('application_secrets').set({ ...times, last_used_at: used })
      await secrets.where('application_id', '=', id).execute()
      await tx.updateTable('permission_grants').set({ granted_at: at }).where('application_id', '=', id).execute()
    }
  })
}

/** What was delivered, what waits, and what was given up. */
async function addDeliveries(store: Store, { webhookId, applications }: Registered): Promise<string> {
  const now = Date.now()
  const rows = Array.from({ length: 80 }, (_, index) => {
    const [id, eventId, at] = [randomUUID(), randomUUID(), now - index * 1_800_000]
    const state = index < 2 ? 'waiting' : index % 9 === 4 ? 'dead' : 'delivered'
    const data = { applicationId: applications[index], keyId: '1', days: 7, actor: { kind: 'system' } }
    const head = { specversion: '1.0', id: eventId, source: 'https://x.test', type: 'portcullis.secret.expiring' }
    const failed = { last_status: index % 2 === 0 ? 503 : null, last_reason: index % 2 === 0 ? 'status' : 'timeout' }
    return {
      ...{ id, webhook_id: webhookId, position: 10_000 - index, event_id: eventId, type: 'secret.expiring' },
      ...{ body: JSON.stringify({ ...head, data }), created_at: at, state, attempts: state === 'delivered' ? 1 : 11 },
      ...{ next_at: now + dayMs, last_at: at + 4_000, last_ms: 41 + index },
      ...(state === 'delivered' ? { last_status: 204, last_reason: null } : failed),
    }
  })
  await store.transaction(async (tx) => {
    await tx.insertInto('event_deliveries').values(rows.slice(0, 40)).execute()
    await tx.insertInto('event_deliveries').values(rows.slice(40)).execute()
  })
  return rows.find(({ state }) => state === 'dead')?.id ?? ''
}

/** What comes with Portcullis, with plans and a provider. */
function configured(file: string): string {
  const plans = `plans:
  free: { describe: To try things out., chosenBy: developers, limits: { daily: { quota: 1000/day } } }
  partner:
    describe: For partners with a contract.
    limits: { application: { rate: 60000/min, burst: 2000 }, daily: { quota: 1000000/day } }
    concurrent: 50
`
  const corp = { label: 'Corp ID', issuer: 'https://id.corp.example', clientId: 'portcullis' }
  const text = readFileSync(defaultConfigFile(), 'utf8').replace('\nplans: {}\n', `\n${plans}`)
  const whole = text.replace(/^ {2}providers: \{\}$/m, `  providers: ${JSON.stringify({ corp })}`)
  // Every page is looked at, longer than a sign-in is new.
  const patient = whole.replace(/^ {2}recent: 10min/m, '  recent: 1h')
  writeFileSync(file, patient.replace('\ndefaults:', '\ndefaults:\n  plan: free\n #'))
  return file
}
