// Carries out a plan, call by call of the management API. A secret is written down before anything else can fail.

import type { Answer, Body } from '../schemas.js'
import type { RegistrationWrites } from './calls.js'
import type { Plan } from './plan.js'

type Created = Answer<'createdApplication'>

/** The registration after a plan, with its secret when it is new. */
export type PlanResult = Answer<'application'> & Pick<Created, 'clientSecret' | 'secret'>

/**
 * Creates or changes; `keep` hears of a new registration, with its secret, before anything else is sent to the server.
 * Throws what the calls throw.
 */
export async function executePlan(
  calls: RegistrationWrites,
  plan: Plan,
  keep: (created: Created) => Promise<void>,
): Promise<PlanResult> {
  if (plan.result === 'created') return await create(calls, plan, keep)
  const { applicationId = '', changes, permissions, owners, consent, tag } = plan
  // First of all: what a caller may not choose is refused before anything else is changed.
  const isPut = plan.plan !== undefined
  if (isPut) await calls.changePlan(applicationId, { plan: plan.plan ?? null }, { unlessChangedFrom: tag })
  const hasFields = Object.keys(changes).length > 0
  // After our own change the tag is another one.
  if (hasFields) await calls.changeApplication(applicationId, changes, isPut ? {} : { unlessChangedFrom: tag })
  const isChanged = isPut || hasFields
  if (permissions !== undefined) {
    const unchanged = isChanged ? {} : { unlessChangedFrom: tag }
    await calls.configurePermissions(applicationId, { permissions: [...permissions] }, unchanged)
  }
  if (plan.brand !== undefined) await calls.changeBrand(applicationId, plan.brand)
  if (consent.length > 0) await calls.grantConsent(applicationId, { permissions: [...consent] })
  // Last of all: an owner who gives it away may change it no more.
  if (owners !== undefined) {
    const unchanged = isChanged || permissions !== undefined || consent.length > 0 ? {} : { unlessChangedFrom: tag }
    await calls.replaceOwners(applicationId, owners, unchanged)
  }
  return await calls.showApplication(applicationId)
}

async function create(
  calls: RegistrationWrites,
  { wanted, owners, brand }: Plan,
  keep: (created: Created) => Promise<void>,
): Promise<PlanResult> {
  const { state, permissions = [], consent, jwks, plan, owners: _after, brand: _then, ...rest } = wanted
  const body: Body<'createApplication'> = {
    ...rest,
    ...(jwks === null || jwks === undefined ? {} : { jwks }),
    ...(plan === null || plan === undefined ? {} : { plan }),
    ...(permissions.length === 0 ? {} : { permissions: [...permissions] }),
    ...(consent === true && permissions.length > 0 ? { consent } : {}),
  }
  const created = await calls.createApplication(body)
  await keep(created)
  const { applicationId, clientSecret, secret } = created
  if (brand !== undefined) await calls.changeBrand(applicationId, brand)
  if (state !== 'disabled' && owners === undefined) return created
  if (state === 'disabled') await calls.changeApplication(applicationId, { state })
  if (owners !== undefined) await calls.replaceOwners(applicationId, owners)
  const after = await calls.showApplication(applicationId)
  return {
    ...after,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(secret === undefined ? {} : { secret }),
  }
}
