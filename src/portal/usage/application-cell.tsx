// An application in a line of usage: its name, and a link where it is one of the tenant's own.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import type { UsageLine } from './read-usage.js'

/** Which of the applications in these lines are registered in the current tenant. Throws StoreUnavailable. */
export async function ownApplications(
  { directory }: Pick<PortalDependencies, 'directory'>,
  { currentTenant }: Pick<PortalContext, 'currentTenant'>,
  lines: readonly UsageLine[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(lines.flatMap(({ applicationId }) => applicationId ?? []))]
  const found = await Promise.all(ids.map((id) => directory.findRegistration(id)))
  return new Set(found.flatMap((one) => (one?.tenantId === currentTenant.tenantId ? [one.applicationId] : [])))
}

/** `own`: as ownApplications says; `query`: of the page of its usage, the same stretch. */
export function ApplicationCell({
  context,
  line: { applicationId = '', name },
  own,
  query,
}: {
  context: PortalContext
  line: Pick<UsageLine, 'applicationId' | 'name'>
  own: ReadonlySet<string>
  query: string
}): VNode {
  if (applicationId === '_other') return <>Others</>
  if (name === undefined || name === null) {
    return (
      <>
        An application that is gone
        <code class="under">{applicationId}</code>
      </>
    )
  }
  if (own.has(applicationId)) {
    return <a href={context.link(`${applicationPath(applicationId, 'usage')}?${query}`)}>{displayName(name)}</a>
  }
  return (
    <>
      {displayName(name)}
      <span class="under">of another tenant</span>
    </>
  )
}
