// What to look for in the audit: a form whose answer has an address that can be kept and passed on.

import type { VNode } from 'preact'
import type { Said } from '../../languages/texts.js'
import { compareNames } from '../../naming/name-order.js'
import { Field } from '../../web/pages/elements.js'
import { describedBy, Labelled } from '../../web/pages/labelled.js'
import { type Problem, problemAt } from '../../web/pages/problem.js'
import { Select } from '../choice-fields.js'
import type { PortalContext } from '../context.js'
import { eventWords } from './event-words.js'
import type { AuditFilter } from './filter.js'
import type { AuditListPage } from './lists.js'

/** `events`: which there are. Folded until a filter is set. */
export function FilterForm({
  context,
  page: { path, scope },
  filter,
  events,
  problem,
}: {
  context: PortalContext
  page: AuditListPage
  filter: AuditFilter
  events: readonly string[]
  problem: Problem | undefined
}): VNode {
  const field = (id: keyof AuditFilter, label: string, hint: string) => (
    <Field
      id={id}
      label={label}
      type="search"
      required={false}
      value={filter[id]}
      error={problemAt(problem, id)}
      maxLength={128}
      hint={hint}
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
          <Select
            id="event"
            label="Event"
            hint="What happened"
            value={filter.event}
            options={[['', 'Any event'], ...eventOptions(events, filter.event)]}
          />
          {field('person', 'Person', 'Name, address or user ID')}
          {field('application', 'Application', 'Name or identifier')}
          {scope === 'server' ? field('in', 'Tenant', 'Name or tenant ID') : null}
          {field('search', 'Any text', 'Such as a request-id')}
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

/** In the words of the list, in their order; one that is not there (yet) can be filtered by all the same. */
function eventOptions(events: readonly string[], chosen: string): (readonly [string, string])[] {
  const all = chosen === '' || events.includes(chosen) ? events : [...events, chosen]
  return all.map((event) => [event, eventWords(event)] as const).sort(([, one], [, other]) => compareNames(one, other))
}

function Day({
  value,
  ...control
}: {
  id: 'from' | 'to'
  label: string
  value: string
  error: Said | undefined
}): VNode {
  const { id } = control
  const props = { ...control, hint: 'A day, in UTC' }
  return (
    <Labelled {...props}>
      <input id={id} name={id} type="date" value={value} {...describedBy(props)} />
    </Labelled>
  )
}
