// Permissions of an application in rows.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import { date } from '../dates.js'
import { type Column, Table } from '../table.js'
import { PermissionId } from './permission-id.js'
import type { PermissionStatus } from './permission-status.js'

const columns: readonly Column[] = [
  { text: 'API / permission' },
  { text: 'Type' },
  { text: 'Description' },
  { text: 'Admin consent required' },
  { text: 'Status' },
  { text: 'Last used' },
  { text: '' },
]

interface TableProps {
  id: string
  context: PortalContext
  /** Of the page with the list. */
  path: string
  lines: readonly PermissionStatus[]
  /** What to say of the person who granted, by id. */
  names: ReadonlyMap<string, string>
  unusedAfter: string
}

/** The rows, each with a way to remove it. */
export function PermissionTable({ id, context, path, lines, names, unusedAfter }: TableProps): VNode {
  return (
    <Table
      id={id}
      columns={columns}
      rows={lines.map((line, index) => ({
        id: `${id}-${index}`,
        cells: [
          <Name key="name" line={line} />,
          line.ref.kind === 'application' ? 'Application' : 'Delegated',
          line.description,
          line.needsAdministrator ? 'Yes' : 'No',
          <Status key="status" context={context} line={line} names={names} />,
          <LastUsed key="used" line={line} after={unusedAfter} />,
          <a
            key="remove"
            id={`${id}-${index}-remove`}
            href={context.link(`${path}/remove?permission=${encodeURIComponent(line.key)}`)}
            aria-label={`Remove ${line.ref.id}, ${line.ref.kind}`}
          >
            Remove
          </a>,
        ],
      }))}
    />
  )
}

function Name({ line: { ref, api } }: { line: PermissionStatus }): VNode {
  return (
    <>
      <PermissionId id={ref.id} />
      <span class="under">{api}</span>
    </>
  )
}

function Status({ context, line, names }: Pick<TableProps, 'context' | 'names'> & { line: PermissionStatus }): VNode {
  const { granted, needsAdministrator, use } = line
  if (granted !== undefined) {
    const at = Date.parse(granted.at)
    return (
      <>
        <span class="granted">
          Granted for <bdi>{displayName(context.currentTenant.name, 60)}</bdi>
        </span>
        <span class="under">
          by <bdi>{names.get(granted.by) ?? 'an administrator'}</bdi>,{' '}
          <time dateTime={new Date(at).toISOString()}>{date(at)}</time>
        </span>
      </>
    )
  }
  if (needsAdministrator) return <span class="not-granted">Not granted</span>
  return (
    <>
      Not granted
      <span class="under">
        {use?.consent === 'people' ? 'Some people allowed it for themselves' : 'People consent as they sign in'}
      </span>
    </>
  )
}

function LastUsed({ line: { use, removable }, after }: { line: PermissionStatus; after: string }): VNode {
  if (use === undefined || !use.measured) {
    return <span class="soft">{use === undefined ? '–' : 'No route here asks for it'}</span>
  }
  const { lastUsedAt } = use
  const at = lastUsedAt === null ? undefined : Date.parse(lastUsedAt)
  return (
    <>
      {at === undefined ? 'Never' : <time dateTime={new Date(at).toISOString()}>{date(at)}</time>}
      {removable ? <span class="under unused">unused for {after}: remove?</span> : null}
    </>
  )
}
