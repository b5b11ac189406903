// Whose tokens an application accepts as proof of itself, instead of a secret (decision 0061): an issuer, a subject and
// an audience, each compared exactly. Its tokens here end with the credential that they were got by.

import { randomBytes } from 'node:crypto'
import { appendAudit } from '../../ledger/append-audit.js'
import { encodeBase62 } from '../../oauth/secrets/base62.js'
import {
  deleteFederatedCredentials,
  insertFederatedCredential,
} from '../../storage/sql/registrations/federated-credentials.js'
import { checkName } from '../applications/names.js'
import { checkRegistered } from '../documents/described-elsewhere.js'
import type { FederatedCredential } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toFederatedCredential } from '../rows.js'
import { type DirectoryWrites, recordApplication, requireApplication, write } from '../writes.js'
import { checkClientKeys } from './client-keys.js'
import { recordEndedCredentials } from './ended-credentials.js'

const most = 20
const longestIssuer = 512
const longestText = 1024

export interface FederatedCredentialInput {
  name: string
  issuer: string
  subject: string
  /** Absent: this server's own issuer identifier. */
  audience?: string | undefined
  /** Absent: its keys are fetched from the issuer. */
  jwks?: unknown
}

/**
 * Adds a credential to a web application. Throws DirectoryRefusal (ApplicationNotFound, NativeApplication, InvalidName,
 * InvalidFederation, InvalidKeys, FederatedCredentialExists, TooManyFederatedCredentials) and StoreUnavailable.
 */
export async function addFederatedCredential(
  deps: DirectoryWrites,
  applicationId: string,
  input: FederatedCredentialInput,
): Promise<FederatedCredential> {
  const ownIssuer = new URL(deps.catalogue.own.id).origin
  const { issuer, subject, audience = ownIssuer } = input
  checkIssuer(issuer, ownIssuer)
  checkExact(subject, 'subject')
  checkExact(audience, 'audience')
  const jwks = input.jwks === undefined ? null : JSON.stringify(checkClientKeys(input.jwks))
  const said = { name: checkName(input.name, 'name', 'label'), issuer, subject, audience, jwks }
  const id = `fed_${encodeBase62(randomBytes(9), 13)}`
  return write(deps, async (writing) => {
    const record = await requireApplication(writing, applicationId)
    checkRegistered(record)
    const { application, federated } = record
    if (application.type !== 'web') {
      const message = 'A native application runs on devices of people: nobody vouches for it.'
      throw new DirectoryRefusal('NativeApplication', message)
    }
    if (federated.some((row) => row.issuer === issuer && row.subject === subject && row.audience === audience)) {
      throw new DirectoryRefusal('FederatedCredentialExists', 'The application trusts these already.', 'subject')
    }
    if (federated.length >= most) {
      const message = `An application has at most ${most} federated credentials: remove one first.`
      throw new DirectoryRefusal('TooManyFederatedCredentials', message)
    }
    const row = { id, application_id: application.id, ...said, created_at: writing.nowMs, last_used_at: null }
    await insertFederatedCredential(writing.tx, row)
    recordApplication(writing, application)
    await appendAudit(deps, writing.tx, eventOf('added', application, row))
    return toFederatedCredential(row)
  })
}

/**
 * Removes a credential; what was got with it is refused from this change on. Throws DirectoryRefusal
 * (ApplicationNotFound, FederatedCredentialNotFound) and StoreUnavailable.
 */
export async function removeFederatedCredential(
  deps: DirectoryWrites,
  credential: { applicationId: string; id: string },
): Promise<void> {
  await write(deps, async (writing) => {
    const { application } = await requireApplication(writing, credential.applicationId)
    const [row] = await deleteFederatedCredentials(writing.tx, application.id, credential.id)
    if (row === undefined) {
      throw new DirectoryRefusal('FederatedCredentialNotFound', 'The application has no such federated credential.')
    }
    recordApplication(writing, application)
    await recordEndedCredentials(deps, writing, application, [row.id])
    await appendAudit(deps, writing.tx, eventOf('removed', application, row))
  })
}

/** OpenID Connect Discovery §3, and nothing that a URL parser would read differently. */
function checkIssuer(issuer: string, ownIssuer: string): void {
  const problem = issuerProblem(issuer, ownIssuer)
  if (problem !== undefined) throw new DirectoryRefusal('InvalidFederation', problem, 'issuer')
}

function issuerProblem(issuer: string, ownIssuer: string): string | undefined {
  if (issuer.length > longestIssuer) return `An issuer has at most ${longestIssuer} characters.`
  const plain = /^https:\/\/[a-z0-9.\-[\]:]+(?:\/[\w.~%!$&'()+,;=:@/-]*)?$/.test(issuer)
  if (!plain || !URL.canParse(issuer) || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(issuer)) {
    return 'An issuer is an https URL in lower case without query, fragment or user information.'
  }
  // An ID token of a person would else be as good as a secret of the application.
  if (issuer.replace(/\/$/, '') === ownIssuer) return 'This server cannot vouch for an application to itself.'
  return undefined
}

/** Compared as it is: a pattern would never match, and its writer would believe that it does. */
function checkExact(text: string, target: 'subject' | 'audience'): void {
  if (text === '' || text.length > longestText) {
    const message = `The ${target} has 1 to ${longestText} characters.`
    throw new DirectoryRefusal('InvalidFederation', message, target)
  }
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(text) || text !== text.trim()) {
    const message = `The ${target} has no control or invisible characters, and no spaces around it.`
    throw new DirectoryRefusal('InvalidFederation', message, target)
  }
  if (text.includes('*')) {
    throw new DirectoryRefusal('InvalidFederation', `The ${target} is compared exactly: it has no wildcard.`, target)
  }
}

function eventOf(
  what: 'added' | 'removed',
  application: { id: string; tenant_id: string },
  row: { id: string; name: string; issuer: string; subject: string; audience: string; jwks: string | null },
) {
  const { id, name, issuer, subject, audience } = row
  return {
    event: `federated-credential.${what}`,
    applicationId: application.id,
    tenantId: application.tenant_id,
    details: { id, name, issuer, subject, audience, keys: row.jwks === null ? 'issuer' : 'configured' },
  } as const
}
