// How this instance and those beside it are doing, for operators without a dashboard at hand. The same facts as the
// operator listener gives.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { Answer } from '../../management/schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Facts, Notice } from '../../web/pages/elements.js'
import { getPage } from '../context.js'
import { dateTime, span } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'

const path = '/portal/server/status'
type Status = Answer<'status'>

const columns = [
  { text: 'Instance' },
  { text: 'Since' },
  { text: 'Changes applied', number: true },
  { text: 'Leads' },
] as const

const targetColumns = [{ text: 'Target' }, { text: 'Upstream' }, { text: 'Down since' }, { text: 'Why' }] as const

const planColumns = [
  { text: 'Plan' },
  { text: 'Applications', number: true },
  { text: 'Counts instead' },
  { text: 'Such as' },
] as const

/** Registers it. */
export function registerStatusPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-server-status',
    get: getPage(deps, async (_request, reply, context) => {
      const status = await context.api<Status>('GET', '/status')
      return sendFramed(reply, context, {
        title: 'Status',
        activePath: path,
        intro: `Portcullis ${status.version}, ${status.mode}, at ${status.baseUrl}.`,
        children: (
          <>
            <Health status={status} />
            <Mistakes status={status} />
            <Instance status={status} />
            <Instances status={status} />
            <TargetsDown status={status} />
            <GonePlans status={status} link={context.link} />
          </>
        ),
      })
    }),
  })
}

function Health({ status: { ready, reasons, degraded } }: { status: Status }): VNode {
  if (!ready) {
    return (
      <Notice id="health" kind="error" title="Not ready">
        <p>This instance should get no requests: {reasons.join(', ')}.</p>
      </Notice>
    )
  }
  if (degraded.length > 0) {
    return (
      <Notice id="health" title="Ready, but degraded">
        <p>Requests are answered; what is away: {degraded.join(', ')}.</p>
      </Notice>
    )
  }
  return (
    <Notice id="health" kind="success" title="Ready">
      <p>Everything that this instance needs answers.</p>
    </Notice>
  )
}

/** Nothing where the files are in effect. */
function Mistakes({ status: { refusedConfiguration: refused } }: { status: Status }): VNode | null {
  if (refused === null) return null
  const more = refused.mistakes - refused.first.length
  return (
    <Notice id="mistakes" kind="error" title="The configuration has mistakes">
      <p>
        Since {dateTime(Date.parse(refused.since))} its files are refused. What was read before stays in effect until
        they are fixed.
      </p>
      <ul>
        {refused.first.map((mistake) => (
          <li key={mistake}>
            <code>{mistake}</code>
          </li>
        ))}
      </ul>
      {more > 0 ? <p>There are {more} more.</p> : null}
    </Notice>
  )
}

function Instance({ status }: { status: Status }): VNode {
  const { store, redis, viewAgeMs, viewStale, seq, revocationEntries, clockSkewSeconds } = status
  const rows: [string, string][] = [
    ['Up for', span(status.uptimeSeconds * 1000)],
    ['Store', `${store.kind}, ${store.available ? 'answers' : 'does not answer'}`],
    ['Redis', redis === null ? 'none configured' : redis.available ? 'answers' : 'does not answer'],
    ['Newest change', String(seq)],
    [
      'Revocations',
      `${revocationEntries} known, complete up to ${span(viewAgeMs)} ago${viewStale ? ': too old to decide on' : ''}`,
    ],
    ['Clocks of the instances', clockSkewSeconds === 0 ? 'agree' : `differ by ${clockSkewSeconds} s or more`],
    ['Routes', `${status.routes}, to ${status.upstreams.join(', ') || 'nothing'}`],
    ['Targets up', `${status.targets.length - downOf(status).length} of ${status.targets.length}`],
  ]
  return (
    <section class="card" aria-labelledby="instance-title">
      <h2 id="instance-title">This instance</h2>
      <Facts id="status" rows={rows} />
    </section>
  )
}

function Instances({ status }: { status: Status }): VNode {
  const rows = status.instances.map(({ id, name, startedAt, seq, leader }) => ({
    id: `instance-${id}`,
    cells: [
      <>
        {name}
        {id === status.instance ? <p class="fine">this one</p> : null}
      </>,
      dateTime(Date.parse(startedAt)),
      String(seq),
      leader ? 'yes' : 'no',
    ],
  }))
  return (
    <section class="card" aria-labelledby="instances-title">
      <h2 id="instances-title">Instances on this database</h2>
      <Table id="instances" columns={columns} rows={rows} />
    </section>
  )
}

function downOf({ targets }: Status): Status['targets'] {
  return targets.filter(({ state }) => state !== 'up')
}

function TargetsDown({ status }: { status: Status }): VNode | null {
  const rows = downOf(status).map(({ upstream, target, state, since }, index) => ({
    id: `target-${index}`,
    cells: [
      target,
      upstream,
      since === null ? '' : dateTime(Date.parse(since)),
      state === 'unwell' ? 'Its checks find it unwell.' : 'Requests to it fail.',
    ],
  }))
  if (rows.length === 0) return null
  return (
    <section class="card" aria-labelledby="targets-title">
      <h2 id="targets-title">Targets that are down</h2>
      <Table id="targets" columns={targetColumns} rows={rows} />
    </section>
  )
}

/** Nothing where every plan that applications are on is in the configuration, or the Store is away. */
function GonePlans({ status: { gonePlans }, link }: { status: Status; link: (path: string) => string }): VNode | null {
  if (gonePlans === null || gonePlans.length === 0) return null
  const rows = gonePlans.map(({ plan, applications, instead, some }, index) => ({
    id: `gone-plan-${index}`,
    cells: [
      <bdi key="plan">{plan}</bdi>,
      String(applications),
      instead ?? 'no plan: the limits of all',
      <ul class="plain-list" key="some">
        {some.map(({ applicationId, name }) => (
          <li key={applicationId}>
            <a href={link(`/portal/server/plans/${applicationId}`)}>{displayName(name)}</a>
          </li>
        ))}
      </ul>,
    ],
  }))
  return (
    <section class="card" aria-labelledby="gone-plans-title">
      <h2 id="gone-plans-title">Plans that are gone</h2>
      <p>
        Applications are on plans that the configuration does not have. Put them on another plan, or bring the plan back
        under its name.
      </p>
      <Table id="gone-plans" columns={planColumns} rows={rows} />
    </section>
  )
}
