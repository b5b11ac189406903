// One line of calls, with the name of its application: an identifier tells nobody who it is.

import type { ManagementDependencies } from '../dependencies.js'
import type { UsageAnswer } from './usage-schemas.js'

/** Which calls are meant; all that is given must fit. */
export interface AboutCalls {
  applicationId: string | undefined
  tenantId: string | undefined
  /** An id of a route. */
  route: string | undefined
}

type Line = UsageAnswer['value'][number]

/** The line with the name; without an application as it is. Throws StoreUnavailable. */
export async function namedLine(
  { directory }: Pick<ManagementDependencies, 'directory'>,
  { applicationId, ...line }: Omit<Line, 'applicationId' | 'name'> & { applicationId: string | undefined },
): Promise<Line> {
  if (applicationId === undefined) return line
  const registration = await directory.findRegistration(applicationId)
  return { ...line, applicationId, name: registration?.name ?? null }
}
