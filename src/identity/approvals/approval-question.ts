// What the person decides about: the call that waits, the agent that wants to make it, and whether all that it rests on
// still stands. Decided anew each time the page is shown or its form comes back.

import { type Approval, findApproval } from '../../approvals/decision.js'
import { type ApplicationBrand, findApplicationBrand } from '../../directory/brands/application-brand.js'
import type { Registration, Tenant } from '../../directory/records.js'
import type { Statements } from '../../storage/sql/store.js'
import { findMembership } from '../../users/memberships/memberships.js'
import type { Membership } from '../../users/records.js'
import { isSignedIn } from '../../users/sessions/signed-in.js'
import { errorText, PageError } from '../../web/pages/page-error.js'
import { homeOf } from '../consent/application-home.js'
import type { IdentityDependencies } from '../dependencies.js'
import { beginPending } from '../pending/pending-request.js'
import type { Person } from '../sign-in/signed-in.js'
import { isStillTaken, requireTaken } from '../sign-in/ways/required-way.js'

export interface ApprovalQuestion {
  approval: Approval
  person: Person
  /** Undefined: there is nothing to decide any more. */
  asker:
    | {
        registration: Registration
        tenant: Tenant
        membership: Membership
        /** The organisation that registered the application. */
        home: { name: string; isOwn: boolean }
        /** What the application says of itself. */
        claim: ApplicationBrand
      }
    | undefined
}

/** Throws PageError where nothing waits for this person: the same for what is somebody else's. Throws StoreUnavailable. */
export async function readApprovalQuestion(
  deps: IdentityDependencies,
  person: Person,
  { id, path }: { id: string; path: string },
): Promise<ApprovalQuestion> {
  const { userId } = person.user
  const approval = await findApproval(deps, deps.store.reader, { id, userId })
  if (approval === undefined) throw noApproval()
  const { applicationId, tenantId } = approval
  const [registration, tenant, membership] = await Promise.all([
    deps.directory.findRegistration(applicationId),
    deps.directory.findTenant(tenantId),
    findMembership(deps.store.reader, userId, tenantId),
  ])
  if (registration?.state !== 'enabled' || tenant?.state !== 'enabled' || membership === undefined) {
    return { approval: withdrawn(approval), person, asker: undefined }
  }
  const wait = () => beginPending(deps, person.browser, { kind: 'page', body: { path } })
  await requireTaken(deps, person.session, membership, wait)
  await person.browser.wear?.({ tenantId })
  const home = await homeOf(deps, registration, tenantId)
  const claim = await findApplicationBrand(deps.store.reader, applicationId)
  return { approval, person, asker: { registration, tenant, membership, home, claim } }
}

/** Whether session, person, membership and way of signing in are still what they were, in the transaction that decides. */
export async function stillMayDecide(
  deps: IdentityDependencies,
  tx: Statements,
  { approval, person, asker }: ApprovalQuestion,
): Promise<boolean> {
  const { user, session } = person
  if (asker === undefined || !(await isSignedIn(tx, user.userId, session))) return false
  const membership = await findMembership(tx, user.userId, approval.tenantId)
  return membership !== undefined && isStillTaken(deps, tx, session, membership)
}

function withdrawn(approval: Approval): Approval {
  return approval.state === 'used' || approval.state === 'refused' ? approval : { ...approval, state: 'over' }
}

function noApproval(): PageError {
  return new PageError({
    status: 404,
    ...errorText(({ approval }) => approval.none),
    links: [{ href: '/account', text: ({ frame }) => frame.yourAccount }],
    reason: 'no_approval',
  })
}
