// What `portcullis doctor` finds in the settings of tenants that the configuration does not bear out any more.

import type { Answer } from '../../../management/schemas.js'
import type { LocalClient } from '../../calls/local-client.js'
import { wholeList } from '../../calls/whole-list.js'
import { CommandFailure } from '../../output/exit.js'
import type { Finding } from '../../output/finding.js'

const mostNamed = 5

/**
 * Tenants whose people are to sign in through providers that the configuration has no more: an error where nobody but
 * owners has a way left.
 */
export async function checkTenantProviders(client: LocalClient): Promise<Finding[]> {
  const all = await tenants(client)
  const lacking = all.filter(({ missingProviders, onlyOwners }) => missingProviders.length > 0 || onlyOwners)
  const worstFirst = lacking.sort((one, other) => Number(other.onlyOwners) - Number(one.onlyOwners))
  return worstFirst.slice(0, mostNamed).map(({ name, tenantId, missingProviders, onlyOwners }) => {
    const missing = missingProviders.join(', ')
    const why = missing === '' ? 'the configuration has no provider' : `${missing} is not in the configuration`
    const message = onlyOwners
      ? `nobody but owners can sign in to ${name}: ${why}`
      : `people of ${name} are to sign in with ${missing}, which is not configured`
    const advice = `portcullis tenant set ${tenantId} --sign-in-providers NAMES, or put it under signIn.providers again`
    return { check: 'tenant providers', state: onlyOwners ? 'fail' : 'warn', message, advice }
  })
}

/** None where no server answers. */
async function tenants(client: LocalClient): Promise<Answer<'tenant'>[]> {
  try {
    return await wholeList<Answer<'tenant'>>(client, '/tenants')
  } catch (error) {
    if (error instanceof CommandFailure) return []
    throw error
  }
}
