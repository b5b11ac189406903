// What hangs on a credential, a registration token, or an account that is recovered: for questions that name none of
// what consequences.ts counts.

import type { FastifyInstance } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { listExternalIdentities } from '../../storage/sql/people/external-identities.js'
import { readPasskeys } from '../../storage/sql/people/passkeys.js'
import { readSecret } from '../../storage/sql/registrations/application-secrets.js'
import { findFederatedCredential } from '../../storage/sql/registrations/federated-credentials.js'
import { readRegistrationTokens } from '../../storage/sql/registrations/registration-tokens.js'
import { countOf } from '../../storage/sql/usage/consequence-counts.js'
import { findUserByEmail } from '../../users/accounts/users.js'
import { callerOf, requires } from '../access/access.js'
import { ownApplicationId, owns } from '../access/ownership.js'
import { administrator } from '../applications/registration-tokens.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Consequences, consequences, type RecoveryQuery, recoveryQuery } from './consequence-schemas.js'
import { counted, grantsOf, ofApplication } from './counted.js'

interface ById {
  Params: { id: string }
}

const hourMs = 3_600_000
const answered = { response: { 200: consequences } }

/** `GET /credentials|registrationTokens/{id}/consequences` and `GET /recoveryLinks/consequences`. */
export function furtherConsequenceRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { store } = deps
  app.get<ById>(
    '/credentials/:id/consequences',
    { config: requires('Application.Read.All'), schema: answered },
    async (request) => {
      const { id } = request.params
      const [secret, federated] = id.startsWith('fed_')
        ? [undefined, await findFederatedCredential(store.reader, id)]
        : [await readSecret(store.reader, id), undefined]
      const owner = secret?.application_id ?? federated?.application_id
      const noCredential = new DirectoryRefusal('SecretNotFound', 'There is no such credential.')
      if (owner === undefined) throw noCredential
      const applicationId = await ownApplicationId(store, callerOf(request), owner).catch((error: unknown) => {
        throw error instanceof DirectoryRefusal ? noCredential : error
      })
      return ofApplication(deps, { applicationId, tenantId: undefined })
    },
  )
  app.get<ById>(
    '/registrationTokens/:id/consequences',
    { config: requires('Application.ReadWrite.All'), schema: answered },
    async (request) => {
      const caller = administrator(request)
      const [token] = await readRegistrationTokens(store.reader, { id: request.params.id.toLowerCase() })
      if (token === undefined || !owns(caller, token.tenant_id))
        throw new DirectoryRefusal('RegistrationTokenNotFound', 'There is no such registration token.')
      const nowMs = deps.writes.now()
      const count = (sinceMs?: number) => countOf.registeredWith(store.reader, token.id, sinceMs)
      const left = Number(token.expires_at) > nowMs ? Number(token.uses_left) : 0
      const registrations = { sofar: await count(), lastHour: await count(nowMs - hourMs), left }
      return { ...nothing(deps, token.tenant_id), registrations }
    },
  )
  app.get<{ Querystring: RecoveryQuery }>(
    '/recoveryLinks/consequences',
    { config: requires('Server.ReadWrite', 'local'), schema: { ...answered, querystring: recoveryQuery } },
    async (request) => ofAccount(deps, request.query.email),
  )
}

/** Of an address that nobody has, nothing is removed. */
async function ofAccount(deps: ManagementDependencies, email: string): Promise<Consequences> {
  const { reader } = deps.store
  const user = await findUserByEmail(reader, email)
  if (user === undefined) {
    return { ...nothing(deps, null), sessions: 0, proofs: { secondFactor: false, passkeys: 0, providers: 0 } }
  }
  const { userId, hasSecondFactor } = user
  const { grants, applications } = await grantsOf(deps, { userId })
  const sessions = await countOf.sessions(reader, userId, deps.writes.now())
  const passkeys = (await readPasskeys(reader, { userId })).length
  const providers = (await listExternalIdentities(reader, userId)).length
  const counts = await counted(deps, { userId }, { applications, people: 1, signIns: grants, sessions })
  return { ...counts, proofs: { secondFactor: hasSecondFactor, passkeys, providers } }
}

function nothing({ settings }: ManagementDependencies, tenantId: string | null): Consequences {
  return {
    tenantId,
    applications: 0,
    people: 0,
    withoutWay: null,
    signIns: 0,
    sessions: null,
    tokens: 0,
    tokenLifetimeSeconds: settings.tokens.lifetimeSeconds,
    calls: null,
    proofs: null,
    registrations: null,
    atLeast: [],
  }
}
