// What a reload gives to whom, and takes, in the log: told after the rules have changed, in the background, for as many
// routes and applications as can be compared without anybody waiting. `portcullis diff` tells of more, and before.

import type { FastifyBaseLogger } from 'fastify'
import type { Settings } from '../config/settings/settings.js'
import { readAccessGrants } from '../directory/consents/access-grants.js'
import { readGonePlans } from '../directory/plans/gone-plans.js'
import { accessDiff } from '../gateway/diff/access-diff.js'
import { accessDiffLines, accessDiffSummary } from '../gateway/diff/diff-lines.js'
import type { Store } from '../storage/sql/store.js'

/** Beyond these the comparison would hold requests up. */
const mostRoutes = 1_000
const mostApplications = 1_000
const mostLines = 20

/** Answers what is to be called with the rules that were, and those that are now. It throws nothing. */
export function createAccessChangeReport({
  store,
  log,
}: {
  store: Pick<Store, 'reader'>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}): (before: Settings, after: Settings) => void {
  const tell = async (before: Settings, after: Settings) => {
    if (before.routes.length + after.routes.length > mostRoutes) {
      return void log.info('too many routes to tell here who gains or loses calls; portcullis diff does')
    }
    const { grants, last } = await readAccessGrants(store.reader, { limit: mostApplications })
    const diff = accessDiff(before, after, grants)
    const lines = accessDiffLines(diff, mostLines)
    const some = last === undefined ? {} : { applications: `the first ${mostApplications}` }
    log.info({ ...some, lines: lines.slice(0, mostLines * 3) }, `access: ${accessDiffSummary(diff)}`)
  }
  const tellOfPlans = async (before: Settings, after: Settings) => {
    const went = new Set([...before.plans.keys()].filter((name) => !after.plans.has(name)))
    if (went.size === 0) return
    for (const { plan, applications, instead, some } of await readGonePlans(store.reader, after)) {
      if (!went.has(plan)) continue
      const counts = instead === null ? 'the limits of all count for them' : `the plan ${instead} counts for them`
      log.warn(
        { plan, applications, some: some.map(({ applicationId }) => applicationId) },
        `the plan ${plan} is gone and applications are on it: ${counts} until it is back or they are put on another`,
      )
    }
  }
  return (before, after) => {
    tellOfPlans(before, after).catch((error: unknown) =>
      log.warn({ err: error }, 'who was on plans that are gone could not be told'),
    )
    tell(before, after).catch((error: unknown) =>
      log.warn({ err: error }, 'who gains or loses calls could not be told'),
    )
  }
}
