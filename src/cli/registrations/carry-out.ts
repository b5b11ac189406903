// Carries out a plan, call by call of the management API. A secret is written down before anything else can fail.

import type { Answer, Body } from '../../management/schemas.js'
import type { ManagementCalls } from '../management-calls.js'
import type { Plan } from './plan.js'

type Created = Answer<'createdApplication'>

/** The registration after a plan, with its secret when it is new. */
export type CarriedOut = Answer<'application'> & Pick<Created, 'clientSecret' | 'secret'>

/**
 * Creates or changes; `keep` hears of a new registration, with its secret, before anything else is asked of the server.
 * Throws CommandFailure.
 */
export async function carryOut(
  calls: ManagementCalls,
  plan: Plan,
  keep: (created: Created) => Promise<void>,
): Promise<CarriedOut> {
  if (plan.result === 'created') return await create(calls, plan, keep)
  const { applicationId = '', changes, permissions, consent, tag } = plan
  const isChanged = Object.keys(changes).length > 0
  if (isChanged) await calls.changeApplication(applicationId, changes, { unlessChangedFrom: tag })
  if (permissions !== undefined) {
    // After our own change the tag is another one.
    const unchanged = isChanged ? {} : { unlessChangedFrom: tag }
    await calls.configurePermissions(applicationId, { permissions: [...permissions] }, unchanged)
  }
  if (consent.length > 0) await calls.grantConsent(applicationId, { permissions: [...consent] })
  return await calls.showApplication(applicationId)
}

async function create(
  calls: ManagementCalls,
  { wanted }: Plan,
  keep: (created: Created) => Promise<void>,
): Promise<CarriedOut> {
  const { state, permissions = [], consent, jwks, ...rest } = wanted
  const body: Body<'createApplication'> = {
    ...rest,
    ...(jwks === null || jwks === undefined ? {} : { jwks }),
    ...(permissions.length === 0 ? {} : { permissions: [...permissions] }),
    ...(consent === true && permissions.length > 0 ? { consent } : {}),
  }
  const created = await calls.createApplication(body)
  await keep(created)
  if (state !== 'disabled') return created
  const { clientSecret, secret } = created
  const after = await calls.changeApplication(created.applicationId, { state })
  return {
    ...after,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(secret === undefined ? {} : { secret }),
  }
}
