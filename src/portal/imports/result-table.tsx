// The applications of an import, each with what becomes of it, what comes and goes, and what has no place here.

import { type ComponentChildren, Fragment, type VNode } from 'preact'
import type { ImportAnswer } from '../../management/imports/import-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { Table } from '../table.js'

type Line = Omit<ImportAnswer<'plan'>['value'][number], 'unknownPermissions' | 'makesSecret'>
type Counts = ImportAnswer<'plan'>['counts']

const words = {
  created: ['New', 'good'],
  changed: ['Changed', 'warn'],
  unchanged: ['As it is', ''],
  exists: ['Left alone', ''],
  failed: ['Not possible', 'warn'],
  notReached: ['Not reached', 'warn'],
} as const
const columns = [{ text: 'Application' }, { text: 'Result' }, { text: 'What comes and goes' }, { text: 'Not carried' }]

/** The counts that are not zero, for Facts. */
export function counted(counts: Counts): [string, ComponentChildren][] {
  const names = Object.keys(words) as (keyof Counts)[]
  return names.filter((name) => counts[name] > 0).map((name) => [words[name][0], String(counts[name])])
}

/** The table. */
export function ResultTable({ context, rows }: { context: PortalContext; rows: readonly Line[] }): VNode {
  return (
    <Table
      id="applications"
      columns={columns}
      rows={rows.map((line, at) => ({
        id: `application-${at + 1}`,
        cells: [
          <Name key="name" context={context} line={line} />,
          <Result key="result" line={line} />,
          <Differences key="differences" line={line} />,
          <Notes key="notes" line={line} />,
        ],
      }))}
    />
  )
}

function Name({ context, line }: { context: PortalContext; line: Line }): VNode {
  const { name, sourceId, applicationId, type } = line
  const shown = displayName(name, 120)
  return (
    <>
      {applicationId === undefined ? shown : <a href={context.link(applicationPath(applicationId))}>{shown}</a>}
      <span class="goes-into">
        {type === 'web' ? 'web' : 'native'}, was {displayName(sourceId, 80)}
      </span>
    </>
  )
}

function Result({ line: { result, reason } }: { line: Line }): VNode {
  const [text, kind] = words[result]
  const why = result === 'exists' ? 'It is there already. Tick “Change applications that exist” to change it.' : reason
  return (
    <>
      <span class={kind === '' ? 'tag' : `tag ${kind}`}>{text}</span>
      {why === undefined ? null : <span class="goes-into">{displayName(why, 400)}</span>}
    </>
  )
}

/** What a registration says, in words of the pages; others as the API has them. */
const labels: Readonly<Record<string, string>> = {
  redirectUris: 'Redirect URI',
  logoutRedirectUris: 'Address after signing out',
  permissions: 'Permission',
  requirePkce: 'PKCE required',
  state: 'State',
  publisher: 'Publisher',
  jwks: 'Public key',
  authMethod: 'Proof',
  idTokenAlg: 'Algorithm of ID tokens',
}

/** Of a new one, the defaults that it has not are no loss. */
function Differences({ line: { differences, result } }: { line: Line }): VNode {
  if (differences.length === 0) return <span class="soft">Nothing</span>
  return (
    <ul class="plain-list">
      {differences.flatMap(({ field, added, removed }) => [
        ...(result === 'created' ? [] : removed).map((value) => (
          <li key={`- ${field} ${value}`}>
            <span class="tag warn">goes</span> {labels[field] ?? field} <Address value={value} />
          </li>
        )),
        ...added.map((value) => (
          <li key={`+ ${field} ${value}`}>
            {labels[field] ?? field} <Address value={value} />
          </li>
        )),
      ])}
    </ul>
  )
}

/** Lines end after a slash of the path, where there is one. */
function Address({ value }: { value: string }): VNode {
  const parts = displayName(value, 300).split(/(?<=[^/:]\/)(?=[^/])/)
  return (
    <code>
      {parts.map((part, at) => (
        <Fragment key={String(at)}>
          {at === 0 ? null : <wbr />}
          {part}
        </Fragment>
      ))}
    </code>
  )
}

function Notes({ line: { notes, result } }: { line: Line }): VNode {
  if (notes.length === 0 || result === 'exists') return <span class="soft">Nothing</span>
  return (
    <details>
      <summary>{notes.length === 1 ? 'One field' : `${notes.length} fields`}</summary>
      <ul class="plain-list">
        {notes.map(({ field, message }, at) => (
          <li key={String(at)}>
            <b>{displayName(field, 200)}</b>: {field.startsWith('permission ') ? unknown : displayName(message, 300)}
          </li>
        ))}
      </ul>
    </details>
  )
}

const unknown = 'no permission here has this name, or not of this kind; say below which one it is'

/** What is no application that could be registered here. */
export function LeftOut({ left }: Pick<ImportAnswer<'plan'>, 'left'>): VNode | null {
  if (left.length === 0) return null
  return (
    <section class="card" aria-labelledby="left-title">
      <h2 id="left-title">Left out</h2>
      <ul class="plain-list" id="left">
        {left.map(({ sourceId, why }, at) => (
          <li key={String(at)}>
            <b>{displayName(sourceId, 120)}</b>: {displayName(why, 300)}
          </li>
        ))}
      </ul>
    </section>
  )
}
