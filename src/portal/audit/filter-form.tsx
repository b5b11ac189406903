// What to look for in the audit: a form whose answer has an address that can be kept and passed on.

import type { VNode } from 'preact'
import { Field } from '../../web/pages/elements.js'
import { describedBy, Labelled } from '../../web/pages/labelled.js'
import { type Problem, problemAt } from '../../web/pages/problem.js'
import type { PortalContext } from '../context.js'
import type { AuditFilter } from './filter.js'

/** `path`: of the list that it filters. Folded until a filter is set. */
export function FilterForm({
  context,
  path,
  filter,
  example,
  problem,
}: {
  context: PortalContext
  path: string
  filter: AuditFilter
  /** An event that the list may have. */
  example: string
  problem: Problem | undefined
}): VNode {
  const field = (id: keyof AuditFilter, label: string, hint?: string) => (
    <Field
      id={id}
      label={label}
      type="search"
      required={false}
      value={filter[id]}
      error={problemAt(problem, id)}
      maxLength={256}
      {...(hint === undefined ? {} : { hint })}
    />
  )
  const isFiltered = Object.values(filter).some((text) => text !== '')
  return (
    <details id="filter" open={isFiltered}>
      <summary>Filter</summary>
      <search>
        <form id="filter-form" class="filter" method="get" action={path} aria-label="Filter">
          {context.tenants.length > 1 ? (
            <input type="hidden" name="tenant" value={context.currentTenant.tenantId} />
          ) : null}
          {field('event', 'Event', `Such as ${example}`)}
          {field('application', 'Application', 'Its identifier or public key')}
          {field('person', 'Person', 'Their e-mail address or identifier')}
          <Day id="from" label="From" value={filter.from} error={problemAt(problem, 'from')} />
          <Day id="to" label="Up to and with" value={filter.to} error={problemAt(problem, 'to')} />
          <div class="buttons">
            <button id="find" type="submit" class="plain">
              Show
            </button>
            {isFiltered ? (
              <a id="all" class="button quiet" href={context.link(path)}>
                Show all
              </a>
            ) : null}
          </div>
        </form>
      </search>
    </details>
  )
}

function Day({
  value,
  ...control
}: {
  id: 'from' | 'to'
  label: string
  value: string
  error: string | undefined
}): VNode {
  const { id } = control
  const props = { ...control, hint: 'A day, in UTC' }
  return (
    <Labelled {...props}>
      <input id={id} name={id} type="date" value={value} {...describedBy(props)} />
    </Labelled>
  )
}
