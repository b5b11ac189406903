// Requests for an administrator's consent in the current tenant, with what a page says about each.

import { type ApplicationBrand, noApplicationBrand } from '../../directory/brands/application-brand.js'
import { findApplicationLogos } from '../../directory/brands/application-logos.js'
import type { Registration } from '../../directory/records.js'
import { type Difference, differenceTo } from '../../identity/admin-consent/requested-permissions.js'
import type { ConsentAnswer } from '../../management/consents/consent-schemas.js'
import type { PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { granterNames } from '../permissions/granters.js'

export interface ConsentRequest {
  request: ConsentAnswer<'request'>
  registration: Registration
  /** What it shows of itself. */
  claim: ApplicationBrand
  /** What to say after “by”. */
  requester: string
  decider: string
  /** What approving would change of what is granted now. */
  difference: Difference
}

const mostShown = 50

/** The newest of each kind. Throws ApiError and StoreUnavailable. */
export async function readRequests(
  deps: PortalDependencies,
  context: PortalContext,
): Promise<{ waiting: ConsentRequest[]; decided: ConsentRequest[]; more: number }> {
  const { tenantId } = context.currentTenant
  const [requests, consents] = await Promise.all([
    context.api<ConsentAnswer<'requests'>>('GET', '/consentRequests'),
    context.api<ConsentAnswer<'consents'>>('GET', `/consents?tenantId=${tenantId}`),
  ])
  const isWaiting = ({ state }: ConsentAnswer<'request'>) => state === 'pending'
  const waiting = requests.value.filter(isWaiting)
  const shown = [...waiting.slice(0, mostShown), ...requests.value.filter((one) => !isWaiting(one)).slice(0, mostShown)]
  const people = shown.flatMap(({ requestedBy, decidedBy }) => [requestedBy, decidedBy ?? 'local'])
  const names = await granterNames(context, people, 'somebody who has left')
  const ids = shown.map(({ applicationId }) => applicationId)
  const logos = await findApplicationLogos(deps.store.reader, ids)
  const described = await Promise.all(
    shown.map(async (request) => {
      const registration = await deps.directory.findRegistration(request.applicationId)
      if (registration === undefined) return []
      const granted = consents.value
        .filter(({ userId, applicationId }) => userId === null && applicationId === request.applicationId)
        .flatMap(({ permissions }) => permissions)
      const difference = differenceTo(granted, { permissions: request.permissions, replaces: undefined })
      const who = { requester: names.get(request.requestedBy), decider: names.get(request.decidedBy ?? 'local') }
      const claim = { ...noApplicationBrand, logo: logos.get(request.applicationId) }
      return [{ request, registration, claim, difference, requester: who.requester ?? '', decider: who.decider ?? '' }]
    }),
  )
  const all = described.flat()
  return {
    waiting: all.filter(({ request }) => isWaiting(request)),
    decided: all.filter(({ request }) => !isWaiting(request)),
    more: Math.max(0, waiting.length - mostShown),
  }
}
