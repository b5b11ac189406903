// Finds the registration that a name means. Names are not unique, so a name that several have in a tenant means none.

import type { BrandAnswer } from '../brands/brand-schemas.js'
import type { Answer } from '../schemas.js'
import type { RegistrationReads } from './calls.js'
import { RegistrationProblem } from './problem.js'

/** A registration as it was read, with its entity tag. */
export interface Found {
  application: Answer<'application'>
  tag: string | undefined
  /** What it says of itself, where that is to be compared. */
  brand?: BrandAnswer<'application'>
}

/** The registration of that exact name in a tenant. Throws RegistrationProblem when several have it. */
export type FindRegistration = (tenantId: string, name: string) => Promise<Found | undefined>

/** Reads the list of registrations once; each one that the caller needs is read then. */
export async function registrationFinder(
  calls: Pick<RegistrationReads, 'listApplications' | 'readApplication'>,
): Promise<FindRegistration> {
  const named = new Map<string, string[]>()
  for (const { tenantId, name, applicationId } of await calls.listApplications()) {
    const key = JSON.stringify([tenantId, name])
    named.set(key, [...(named.get(key) ?? []), applicationId])
  }
  return async (tenantId, name) => {
    const stored = storedName(name)
    const [found, another] = named.get(JSON.stringify([tenantId, stored])) ?? []
    if (another !== undefined) {
      const message = `several applications of the tenant are named ${stored}: rename them`
      throw new RegistrationProblem('what_there_is', message)
    }
    return found === undefined ? undefined : await calls.readApplication(found)
  }
}

/** Names are stored like this, so that one that is applied again is found again. */
export function storedName(name: string): string {
  return name.normalize('NFC').trim()
}
