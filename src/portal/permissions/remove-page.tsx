// Remove a permission: what that means for this one, and one button. For what is configured it takes it out of the
// configuration, and so out of every tenant; for what is only granted it withdraws the consent in this tenant.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { sendApplicationPage } from '../application-page.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done.js'
import { acted, type Visit, visited } from '../visit.js'
import { readStandings, type Standings } from './read-standings.js'
import { refOf, type Standing } from './standing.js'

/** `GET` and `POST /portal/applications/{id}/permissions/remove?permission=…`. */
export function registerRemovePermission(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/applications/:id/permissions/remove',
    routeId: 'portal-permissions-remove',
    get: visited(deps, async (request, reply, visit) => {
      const standings = await readStandings(deps, request, visit)
      const found = find(standings, request, visit)
      // Somebody was faster, or the address was shortened.
      if (found === undefined) return reply.redirect(visit.link(standings.path), 303)
      return show(reply, visit, standings, found)
    }),
    post: acted(deps, async (request, reply, visit) => {
      const standings = await readStandings(deps, request, visit)
      const found = find(standings, request, visit)
      if (found !== undefined) await remove(visit, standings, found)
      return reply.redirect(doneLink(visit, standings.path, 'removed'), 303)
    }),
  })
}

interface Found {
  line: Standing
  isConfigured: boolean
}

function find({ configured, others }: Standings, _request: FastifyRequest, { query }: Visit): Found | undefined {
  const asked = refOf(query.get('permission'))
  const line = [...configured, ...others].find(({ ref }) => asked !== undefined && includesPermission([ref], asked))
  return line === undefined ? undefined : { line, isConfigured: configured.includes(line) }
}

async function remove(visit: Visit, { application }: Standings, { line, isConfigured }: Found): Promise<void> {
  const { applicationId } = application
  if (isConfigured) {
    const permissions = application.permissions.filter((one) => !includesPermission([line.ref], one))
    await visit.api('PUT', `/applications/${applicationId}/permissions`, { permissions })
    return
  }
  const { tenantId } = visit.place
  await visit.api('POST', '/consents/withdraw', { applicationId, tenantId, permissions: [line.ref] })
}

function show(reply: FastifyReply, visit: Visit, standings: Standings, found: Found): FastifyReply {
  const { application, path } = standings
  const { line } = found
  const tenant = displayName(visit.place.name, 60)
  const lastUsed = line.use?.lastUsedAt ?? null
  return sendApplicationPage(reply, visit, {
    application,
    at: 'permissions',
    children: (
      <section class="card" aria-labelledby="remove-title">
        <h2 id="remove-title">
          Remove <code>{line.ref.id}</code>?
        </h2>
        <p>{line.description}</p>
        <Facts
          id="about-permission"
          rows={[
            ['API', line.api],
            ['Type', line.ref.kind === 'application' ? 'Application' : 'Delegated'],
            ['Status', line.granted === undefined ? 'Not granted' : `Granted for ${tenant}`],
            ['Last used', lastUsed === null ? 'Not seen' : date(Date.parse(lastUsed))],
          ]}
        />
        <p>
          <Meaning found={found} tenant={tenant} />
        </p>
        <Form id="remove-form" action={visit.address} token={visit.token}>
          <div class="buttons">
            <a class="button plain" id="keep" href={visit.link(path)}>
              Keep it
            </a>
            <Button id="remove" kind="danger">
              Remove
            </Button>
          </div>
        </Form>
      </section>
    ),
  })
}

function Meaning({ found: { line, isConfigured }, tenant }: { found: Found; tenant: string }): VNode {
  if (!isConfigured) return <>The consent for {tenant} is withdrawn. Tokens that are out are refused at once.</>
  if (line.granted === undefined) return <>It was not granted for {tenant}, so nothing that works there stops.</>
  return (
    <>
      The consent for it ends in every tenant, and tokens of the application that are out are refused at once; it gets
      new ones without this permission. Adding it again takes consent again.
    </>
  )
}
