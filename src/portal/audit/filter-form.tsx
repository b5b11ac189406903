// What to look for in the audit: a form whose answer has an address that can be kept and passed on.

import type { VNode } from 'preact'
import { Field } from '../../web/pages/elements.js'
import { type Problem, problemAt } from '../../web/pages/problem.js'
import type { PortalContext } from '../context.js'
import type { AuditFilter } from './filter.js'

/** `path`: of the list that it filters. Folded until something is asked for. */
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
  const isAsked = Object.values(filter).some((text) => text !== '')
  return (
    <details id="filter" open={isAsked}>
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
            {isAsked ? (
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
  id,
  label,
  value,
  error,
}: {
  id: 'from' | 'to'
  label: string
  value: string
  error: string | undefined
}): VNode {
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
      <p class="hint" id={`${id}-hint`}>
        A day, in UTC
      </p>
      <input
        id={id}
        name={id}
        type="date"
        value={value}
        aria-describedby={error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`}
        {...(error === undefined ? {} : { 'aria-invalid': 'true' as const })}
      />
      {error === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}
