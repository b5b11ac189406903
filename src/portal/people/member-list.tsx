// The people of the tenant, by name, a page at a time; a part of a name or an address narrows them.

import type { VNode } from 'preact'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Field } from '../../web/pages/elements.js'
import type { PortalContext } from '../context.js'
import { date } from '../dates.js'
import { MoreLink, nextToken } from '../lists/next-page.js'
import { Table } from '../table.js'

const path = '/portal/people'
const pageSize = 50
const mostTyped = 128

export interface FoundMembers {
  search: string
  people: PeopleAnswer<'users'>['value']
  /** The token of the next page. */
  next: string | undefined
}

/** What the page's address asks for. Throws ApiError. */
export async function readMembers(context: PortalContext): Promise<FoundMembers> {
  const search = (context.query.get('search') ?? '').trim().slice(0, mostTyped)
  const after = context.query.get('after')
  const query = new URLSearchParams({
    $top: String(pageSize),
    ...(search === '' ? {} : { search }),
    ...(after === null ? {} : { $skiptoken: after }),
  })
  const { value, nextLink } = await context.api<PeopleAnswer<'users'>>('GET', `/users?${query}`)
  return { search, people: value, next: nextToken(nextLink) }
}

/** The table with its search. */
export function MemberList({ context, found }: { context: PortalContext; found: FoundMembers }): VNode {
  const { search, people, next } = found
  return (
    <section class="card" aria-label="Members">
      <Search context={context} search={search} />
      {people.length === 0 ? (
        <p id="nobody-found">
          {search === '' ? 'There are no more.' : `Nobody here is called “${displayName(search)}”.`}{' '}
          <a href={context.link(path)}>Show all</a>
        </p>
      ) : (
        <Table
          id="people"
          columns={[{ text: 'Name' }, { text: 'E-mail' }, { text: 'Role' }, { text: 'Signed in last' }]}
          rows={people.map((person) => rowOf(context, person))}
        />
      )}
      <MoreLink
        context={context}
        path={path}
        query={next === undefined ? undefined : { search, after: next }}
        text="More people"
      />
    </section>
  )
}

function Search({ context, search }: { context: PortalContext; search: string }): VNode {
  return (
    <search>
      <form id="search-form" class="inline" method="get" action={path}>
        {context.tenants.length > 1 ? (
          <input type="hidden" name="tenant" value={context.currentTenant.tenantId} />
        ) : null}
        <Field
          id="search"
          label="Name or e-mail address"
          type="search"
          required={false}
          value={search}
          maxLength={mostTyped}
        />
        <button id="find" type="submit" class="plain">
          Search
        </button>
      </form>
    </search>
  )
}

function rowOf(context: PortalContext, person: FoundMembers['people'][number]) {
  const { userId, name, email, state, operator, role = 'member', lastSignInAt } = person
  return {
    id: `person-${userId}`,
    cells: [
      <>
        <a href={context.link(`${path}/${userId}`)}>{displayName(name === '' ? email : name)}</a>{' '}
        <span class="tags">
          {userId === context.person.user.userId ? <span class="tag">You</span> : null}
          {operator ? <span class="tag">Operator</span> : null}
          {state === 'disabled' ? <span class="tag warn">Disabled</span> : null}
        </span>
      </>,
      email === '' ? 'none' : displayName(email, 254),
      role,
      lastSignInAt === null ? 'Never' : date(Date.parse(lastSignInAt)),
    ],
  }
}
