// The counts that are said before something is stopped, each bounded (consequences.ts).

import { callsOverTime } from '../../history/calls.js'
import type { Recent } from '../../history/history.js'
import { countGrants, countOf, mostCounted, type Subject } from '../../storage/sql/usage/consequence-counts.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { Consequences } from './consequence-schemas.js'

/** As many as ledger/decisions.ts keeps of one application. */
const recordedTokens = 200

/** What hangs on an application, in one tenant or in all. Throws StoreUnavailable. */
export async function ofApplication(
  deps: ManagementDependencies,
  subject: { applicationId: string; tenantId: string | undefined },
): Promise<Consequences> {
  const { grants, people } = await grantsOf(deps, subject)
  return counted(deps, subject, { applications: 1, people, signIns: grants, sessions: null })
}

/** What applications hold for people. Throws StoreUnavailable. */
export function grantsOf({ store, writes }: ManagementDependencies, subject: Subject) {
  return countGrants(store.reader, subject, writes.now())
}

type Counts = Pick<Consequences, 'applications' | 'people' | 'signIns' | 'sessions'>

/** With the tokens and calls of the same subject. Throws StoreUnavailable. */
export async function counted(deps: ManagementDependencies, subject: Subject, counts: Counts): Promise<Consequences> {
  const { lifetimeSeconds } = deps.settings.tokens
  // What this instance has recorded and not written belongs to it too.
  await deps.decisions.flush()
  const tokens = await countOf.tokens(deps.store.reader, subject, deps.writes.now() - lifetimeSeconds * 1000)
  const all = { ...counts, tokens }
  const fullFrom = { applications: mostCounted, people: mostCounted, signIns: mostCounted, sessions: mostCounted }
  const atLeast = Object.entries({ ...fullFrom, tokens: recordedTokens }) as [keyof typeof all, number][]
  return {
    tenantId: subject.tenantId ?? null,
    withoutWay: null,
    proofs: null,
    registrations: null,
    ...all,
    tokenLifetimeSeconds: lifetimeSeconds,
    calls: subject.userId === undefined ? await callsOf(deps, subject) : null,
    atLeast: atLeast.filter(([name, most]) => (all[name] ?? 0) >= most).map(([name]) => name),
  }
}

/** Out of the short history, which every instance writes down for the others. */
async function callsOf({ history }: ManagementDependencies, { applicationId, tenantId }: Subject) {
  const filter = {
    ...(applicationId === undefined ? {} : { applicationId }),
    ...(tenantId === undefined ? {} : { tenantId }),
  }
  const sum = (recent: Recent) => callsOverTime(recent, filter).reduce((all, { allowed }) => all + allowed, 0)
  return { lastHour: sum(await history.recent('1h')), lastDay: sum(await history.recent('24h')) }
}
