// A link with which an administrator says who somebody is at a provider (decision 130): for one person, by the address
// that they have there. It is used by that person, signed in here, who proves at the provider that the address is theirs:
// neither the link, nor the account here, nor the one there does it without the other two.

import { requireTenant } from '../../directory/tenants/tenants.js'
import { type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import {
  deleteExternalIdentity,
  listExternalIdentities,
  readExternalIdentity,
} from '../../storage/sql/people/external-identities.js'
import { emailKey } from '../mail/email.js'
import { findMembership } from '../memberships/memberships.js'
import { UserRefusal } from '../refusal.js'
import { endSessionsStartedWith } from '../sessions/end-access.js'
import { takenProviders } from '../sessions/tenant-ways.js'
import { requireUser, type UserWrites } from '../writes.js'
import { addLink } from './external-identities.js'
import { checkOwnLink } from './kept-links.js'
import { type OneTimeLink, useLink } from './one-time-links.js'

/** Who came back from a provider, for whom and with which link. */
export interface Redeemed {
  secret: string
  /** Who is signed in here. */
  userId: string
  /** The hash of their session. */
  session: string
  provider: string
  issuer: string
  subject: string
  /** What the provider says is theirs; undefined when it says none, or that it is not verified. */
  address: string | undefined
}

/**
 * Links the person with this account of the provider, in the place of another one of the same issuer: the sessions that
 * began at a provider end then, but the one that they are in. Throws UserRefusal
 * (LinkNotFound, also when it is for somebody else; OtherAddress; ProviderLinked; MembershipNotFound;
 * ProviderNotTaken; TenantKeepsLink when another tenant of theirs has the say) and StoreUnavailable.
 */
export async function redeemProviderLink(deps: UserWrites, redeemed: Redeemed): Promise<void> {
  const { secret, userId, provider, issuer, subject } = redeemed
  await write(deps, (writing) =>
    useLink(deps, writing, { secret, purpose: 'provider-link' }, async (link) => {
      const { tx } = writing
      const user = await requireUser(writing, userId)
      await checkFits(deps, writing, link, redeemed)
      const owner = await readExternalIdentity(tx, issuer, subject)
      if (owner !== undefined && owner.user_id !== user.id) {
        throw new UserRefusal('ProviderLinked', 'That account of the provider is linked with another account here.')
      }
      if (owner !== undefined) return
      const former = (await listExternalIdentities(tx, user.id)).find((one) => one.issuer === issuer)
      if (former !== undefined) {
        await deleteExternalIdentity(tx, user.id, issuer)
        // As without a new one: who signed in with that account is not here any more (C14).
        const ending = { userId: user.id, method: 'fed', except: redeemed.session } as const
        const sessionsEnded = await endSessionsStartedWith(writing, ending)
        const details = { provider: former.provider, replaced: true, sessionsEnded }
        await appendAudit(deps, tx, { event: 'user.provider-unlinked', userId: user.id, details })
      }
      await addLink(deps, writing, { userId: user.id, provider, issuer, subject })
    }),
  )
}

async function checkFits(
  deps: UserWrites,
  writing: Writing,
  link: OneTimeLink,
  { userId, provider, issuer, address }: Redeemed,
): Promise<void> {
  const { tx } = writing
  const tenantId = link.tenantId ?? ''
  if (link.userId !== userId) throw new UserRefusal('LinkNotFound', 'This link is for another account.')
  if ((await findMembership(tx, userId, tenantId)) === undefined) {
    throw new UserRefusal('MembershipNotFound', 'This person does not belong to the tenant.')
  }
  const tenant = await requireTenant(writing, tenantId)
  const { providers } = deps.settings
  if (!takenProviders(tenant, providers.values()).some(({ name }) => name === provider)) {
    throw new UserRefusal('ProviderNotTaken', 'The tenant does not take sign-ins through this provider.')
  }
  if (address === undefined || emailKey(address) !== link.email) {
    throw new UserRefusal(
      'OtherAddress',
      'The provider does not confirm the address for which this link was made. Sign in there with that account, or ask for a link for another address.',
    )
  }
  // An administrator of one tenant does not say for another one who its people are.
  if (!link.byServer) await checkOwnLink(deps, tx, userId, { issuer, provider }, tenant.tenantId)
}
