// Links that work once: for the first owner (24 hours), for who is invited or comes in through a provider from then on
// (7 days), for a new password (1 hour). A
// link is 256 random bits, of which only the hash is stored; a new one ends those before it. What using one does is in
// accept-link.ts. Links are credentials: they are in no log, and the ledger knows only that there was one.

import type { Role } from '../../config/settings/settings.js'
import { requireTenant } from '../../directory/tenants/tenants.js'
import { type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { countOwners } from '../../storage/sql/people/memberships.js'
import {
  deleteLinks,
  insertLink,
  type OneTimeLinkRow,
  readLinks,
  takeLink,
} from '../../storage/sql/people/one-time-links.js'
import { isFullOfInvited } from '../../storage/sql/registrations/quota-counts.js'
import type { Statements } from '../../storage/sql/store.js'
import { checkEmail } from '../mail/email.js'
import { findMembership } from '../memberships/memberships.js'
import { toMembership } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { requireUser, type UserWrites } from '../writes.js'
import { isStillGiven, makerOf } from './link-maker.js'

export type LinkPurpose = 'set-up' | 'invitation' | 'provider-link' | 'password-reset'

export interface OneTimeLink {
  purpose: LinkPurpose
  tenantId: string | undefined
  userId: string | undefined
  email: string | undefined
  role: Role | undefined
  /** Made at the server's machine. */
  byServer: boolean
  createdAt: number
  expiresAt: number
  /** Hex SHA-256; it names the link in lists. */
  hash: string
}

/**
 * A link that was presented. `mailed`: only a reader of mail for the address can have it, which proves the
 * address.
 */
export interface PresentedLink extends OneTimeLink {
  mailed: boolean
}

export type NewLink =
  /** Only while there is no owner at all. Without a tenant the page asks for the name of the first one. */
  | { purpose: 'set-up' }
  | { purpose: 'invitation'; tenantId: string; email: string; role: Role }
  /** Somebody who belongs to the tenant is, at a provider, who has this address there. */
  | { purpose: 'provider-link'; tenantId: string; userId: string; email: string }
  /** With `recover`, the person also becomes owner of that tenant, and the second factor is removed. */
  | { purpose: 'password-reset'; userId: string; recover?: string | undefined }

const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs
const lifetimesMs = {
  'set-up': 24 * hourMs,
  invitation: weekMs,
  'provider-link': weekMs,
  'password-reset': hourMs,
} as const
const mailedPrefix = 'pcl_om_'
const refused = 'This link does not work: it was used or withdrawn, it is over, or it was never one.'

/**
 * Makes a link, in the `open` transaction where there is one. `url` is the only copy. Throws UserRefusal (HasOwner,
 * UserNotFound, InvalidEmail, TenantDisabled, TooManyPeople), DirectoryRefusal (TenantNotFound) and StoreUnavailable.
 */
export async function createLink(
  deps: UserWrites,
  input: NewLink,
  { mailed = false, open }: { mailed?: boolean; open?: Writing } = {},
): Promise<{ url: string; link: OneTimeLink }> {
  // The prefix is hashed too, so the holder of a link cannot make the one out of the other.
  const secret = createOpaqueToken(mailed ? mailedPrefix : 'pcl_ol_')
  const link = await write(deps, (writing) => insertNewLink(deps, writing, input, secret), open)
  return { url: `${deps.baseUrl}/${pathOf[input.purpose]}/${secret}`, link }
}

const pathOf = {
  'set-up': 'set-up',
  invitation: 'invitation',
  'provider-link': 'link-provider',
  'password-reset': 'reset-password',
} as const

/** The link, if it can be used now for this purpose. Throws StoreUnavailable. */
export async function findLink(
  reader: Statements,
  secret: string,
  purpose: LinkPurpose,
  nowMs: number,
): Promise<OneTimeLink | undefined> {
  if (!isLink(secret)) return undefined
  const [row] = await readLinks(reader, nowMs, { hash: hashOpaqueToken(secret) })
  if (row === undefined || !(await isStillGiven(reader, row))) return undefined
  const link = toLink(row)
  return link.purpose === purpose ? link : undefined
}

/**
 * Uses a link up inside the transaction in which `work` does what it is for. Of two at once one gets it. It is
 * accounted for after the work, which may lock grants: those come before the ledger in everybody's order. Throws
 * UserRefusal (LinkNotFound) and what `work` throws.
 */
export async function useLink<T>(
  deps: UserWrites,
  { tx, nowMs }: Writing,
  presented: { secret: string; purpose: LinkPurpose },
  work: (link: PresentedLink) => Promise<T>,
): Promise<T> {
  const { secret, purpose } = presented
  const row = isLink(secret) ? await takeLink(tx, hashOpaqueToken(secret), nowMs) : undefined
  const link = row === undefined || !(await isStillGiven(tx, row)) ? undefined : toLink(row)
  if (link?.purpose !== purpose) throw new UserRefusal('LinkNotFound', refused)
  const done = await work({ ...link, mailed: secret.startsWith(mailedPrefix) })
  await appendAudit(deps, tx, {
    event: 'link.used',
    tenantId: link.tenantId,
    userId: link.userId,
    details: { purpose },
  })
  return done
}

/** A link from its row. */
export function toLink(row: OneTimeLinkRow): OneTimeLink {
  const { role } = toMembership({ user_id: '', tenant_id: '', created_at: 0, updated_at: 0, role: row.role ?? '' })
  return {
    purpose: purposeOf(row),
    tenantId: row.tenant_id ?? undefined,
    userId: row.user_id ?? undefined,
    email: row.email ?? undefined,
    role: row.role === null ? undefined : role,
    byServer: row.created_by === 'operator',
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    hash: row.hash,
  }
}

/** An invitation of somebody who is known is one to come in through a provider. */
function purposeOf({ purpose, user_id: userId }: OneTimeLinkRow): LinkPurpose {
  if (purpose === 'invitation') return userId === null ? 'invitation' : 'provider-link'
  return purpose === 'set-up' ? 'set-up' : 'password-reset'
}

function isLink(secret: string): boolean {
  return /^pcl_o[lm]_[0-9A-Za-z]{43}$/.test(secret)
}

async function insertNewLink(deps: UserWrites, writing: Writing, input: NewLink, secret: string): Promise<OneTimeLink> {
  const { tx, nowMs } = writing
  const subject = await subjectOf(writing, input)
  const { purpose } = input
  const { tenant_id: tenantId, user_id: userId, email } = subject
  const by = makerOf(deps.actor)
  const stored = purpose === 'provider-link' ? 'invitation' : purpose
  await deleteLinks(tx, {
    purpose: stored,
    ...(purpose === 'invitation' && tenantId !== null && email !== null ? { tenantId, email } : {}),
    ...(purpose === 'password-reset' && userId !== null ? { userId } : {}),
    ...(purpose === 'provider-link' && tenantId !== null && userId !== null ? { tenantId, userId } : {}),
    // What an untrusted party asks for does not end what an administrator or the operator gave.
    ...(by === 'system' ? { createdBy: by } : {}),
  })
  if (tenantId !== null && purpose === 'invitation') await checkRoom(deps, writing, tenantId)
  const row = {
    hash: hashOpaqueToken(secret),
    purpose: stored,
    ...subject,
    created_by: by,
    created_at: nowMs,
    expires_at: nowMs + lifetimesMs[purpose],
    used_at: null,
  }
  await insertLink(tx, row)
  const details = { purpose, ...(subject.role === null ? {} : { role: subject.role }) }
  await appendAudit(deps, tx, {
    event: 'link.created',
    details,
    tenantId: tenantId ?? undefined,
    userId: userId ?? undefined,
  })
  return toLink(row)
}

/** Behind the end of the one that this one replaces. An operator can always let somebody in. */
async function checkRoom({ quotas, actor }: UserWrites, { tx, nowMs }: Writing, tenantId: string): Promise<void> {
  if (
    quotas === undefined ||
    actor.kind === 'operator' ||
    !(await isFullOfInvited(tx, { tenantId, atMs: nowMs }, quotas.people))
  )
    return
  const message = `A tenant has at most ${quotas.people} members and open invitations: withdraw some, remove members, or have quotas.people raised.`
  throw new UserRefusal('TooManyPeople', message)
}

type Subject = Pick<OneTimeLinkRow, 'tenant_id' | 'user_id' | 'email' | 'role'>

async function subjectOf(writing: Writing, input: NewLink): Promise<Subject> {
  const nobody: Subject = { tenant_id: null, user_id: null, email: null, role: null }
  if (input.purpose === 'set-up') {
    if ((await countOwners(writing.tx, {})) > 0) {
      throw new UserRefusal('HasOwner', 'There is an owner already: ask them for an invitation.')
    }
    return nobody
  }
  if (input.purpose === 'invitation') {
    const { tenantId, state } = await requireTenant(writing, input.tenantId)
    if (state !== 'enabled') throw new UserRefusal('TenantDisabled', 'The tenant is disabled.', 'tenantId')
    // By its key, so that a second invitation to another spelling ends the first one.
    return { ...nobody, tenant_id: tenantId, email: checkEmail(input.email).key, role: input.role }
  }
  const { id } = await requireUser(writing, input.userId)
  if (input.purpose === 'provider-link') {
    const { tenantId } = await requireTenant(writing, input.tenantId)
    if ((await findMembership(writing.tx, id, tenantId)) === undefined) {
      throw new UserRefusal('MembershipNotFound', 'This person does not belong to the tenant.')
    }
    return { ...nobody, tenant_id: tenantId, user_id: id, email: checkEmail(input.email).key }
  }
  if (input.recover === undefined) return { ...nobody, user_id: id }
  const { tenantId } = await requireTenant(writing, input.recover)
  return { ...nobody, user_id: id, tenant_id: tenantId, role: 'owner' }
}
