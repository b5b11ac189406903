// An application as the API shows it: everything but the hashes of its secrets.

import { isSafeToDelete } from '../../directory/credentials/secret-safety.js'
import type { Registration, Secret } from '../../directory/records.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { toInstallation, toRegistration } from '../../directory/rows.js'
import { readOwners } from '../../storage/sql/registrations/application-owners.js'
import { type ApplicationRow, readApplications } from '../../storage/sql/registrations/applications.js'
import { readInstallations } from '../../storage/sql/registrations/installations.js'
import { readApplicationPlan } from '../../storage/sql/registrations/plans/plans.js'
import type { Statements } from '../../storage/sql/store.js'
import type { Caller } from '../access/access.js'
import { ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { Answer } from '../schemas.js'

/**
 * The whole application, read from the Store, so that times of last use are current. Throws DirectoryRefusal when it is
 * gone.
 */
export async function readApplicationAnswer(
  { store, writes }: Pick<ManagementDependencies, 'store' | 'writes'>,
  applicationId: string,
  caller: Caller,
): Promise<Answer<'application'>> {
  return store.snapshot((tx) => applicationAnswerIn(tx, applicationId, { caller, nowMs: writes.now() }))
}

/** As readApplicationAnswer, inside a transaction. */
export async function applicationAnswerIn(
  tx: Statements,
  applicationId: string,
  { caller, nowMs }: { caller: Caller; nowMs: number },
): Promise<Answer<'application'>> {
  const [record] = await readApplications(tx, 'id', applicationId)
  // Where else it is installed is those tenants' business.
  const installed = await readInstallations(tx, applicationId, ownTenantId(caller, undefined))
  const owners = await readOwners(tx, applicationId)
  const said = await readApplicationPlan(tx, applicationId)
  if (record === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  const registration = toRegistration(record)
  return {
    ...summary(registration),
    ...optionAnswer(registration),
    secrets: registration.secrets.map((one) => secretAnswer(one, registration.secrets, nowMs)),
    redirectUris: [...registration.redirectUris],
    adminConsentRedirectUris: [...registration.adminConsentRedirectUris],
    logoutRedirectUris: [...registration.logoutRedirectUris],
    permissions: [...registration.configured],
    owners: owners.map(({ owner_id }) => owner_id),
    plan: said === undefined || said.plan === '' ? null : said.plan,
    consents: installed.map(toInstallation).map(({ tenantId, granted }) => ({
      tenantId,
      permissions: granted.map((each) => ({ ...each, grantedAt: time(each.grantedAt) })),
    })),
  }
}

/** One line of the list, from its row. */
export function summaryAnswer(application: ApplicationRow): Answer<'applications'>['value'][number] {
  return summary(
    toRegistration({
      application,
      secrets: [],
      redirectUris: [],
      configured: [],
      federated: [],
      client: undefined,
      document: undefined,
    }),
  )
}

function summary(registration: Registration): Answer<'applications'>['value'][number] {
  const { applicationId, publicKey, tenantId, name, type, state, audience } = registration
  const times = { createdAt: time(registration.createdAt), updatedAt: time(registration.updatedAt) }
  return { applicationId, publicKey, tenantId, name, type, state, audience, ...times }
}

function optionAnswer(registration: Registration) {
  const { requirePkce, authMethod, jwks, idTokenAlg, publisher, verified, deviceCodes } = registration
  // The set was rebuilt from public members when it was stored (directory/credentials/client-keys.ts).
  const keys = jwks?.keys.map((key) => Object.fromEntries(Object.entries(key).map(([k, v]) => [k, String(v)])))
  return {
    requirePkce,
    authMethod,
    jwks: keys === undefined ? null : { keys },
    idTokenAlg,
    publisher,
    verified,
    deviceCodes,
  }
}

function secretAnswer(secret: Secret, all: readonly Secret[], nowMs: number): Answer<'application'>['secrets'][number] {
  const { keyId, label, hint } = secret
  return {
    keyId,
    label,
    hint,
    startsAt: time(secret.startsAt),
    endsAt: time(secret.endsAt),
    lastUsedAt: secret.lastUsedAt === null ? null : time(secret.lastUsedAt),
    createdAt: time(secret.createdAt),
    safeToDelete: isSafeToDelete(secret, all, nowMs),
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
