// What `portcullis doctor` finds in the settings of tenants that the configuration does not bear out any more.

import type { Answer } from '../../../management/schemas.js'
import type { LocalClient } from '../../calls/local-client.js'
import { CommandFailure } from '../../output/exit.js'
import type { Finding } from '../../output/finding.js'

const mostNamed = 5

/** Tenants whose people are to sign in through providers that the configuration has no more. */
export async function checkTenantProviders(client: LocalClient): Promise<Finding[]> {
  const lacking = (await tenants(client)).filter(({ missingProviders }) => missingProviders.length > 0)
  return lacking.slice(0, mostNamed).map(({ name, tenantId, missingProviders }) => {
    const message = `people of ${name} are to sign in with ${missingProviders.join(', ')}, which is not configured`
    const advice = `portcullis tenant set ${tenantId} --sign-in-providers NAMES, or put it under signIn.providers again`
    return { check: 'tenant providers', state: 'warn', message, advice }
  })
}

/** The first page of them; none where no server answers. */
async function tenants(client: LocalClient): Promise<Answer<'tenant'>[]> {
  try {
    const answer = await client.call('GET', '/tenants', undefined, { patienceMs: 10_000 })
    return (answer as { value: Answer<'tenant'>[] }).value
  } catch (error) {
    if (error instanceof CommandFailure) return []
    throw error
  }
}
