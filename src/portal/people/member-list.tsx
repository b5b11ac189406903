// The people of the tenant, by name, a page at a time; a part of a name or an address narrows them.

import type { VNode } from 'preact'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'
import { date } from '../dates.js'
import { MoreLink, nextToken } from '../lists/next-page.js'
import { readSearch, SearchForm, searchQuery } from '../lists/search.js'
import { Table } from '../table.js'

const path = '/portal/people'

export interface FoundMembers {
  search: string
  /** Only those who need a second factor and have none. */
  isLacking: boolean
  people: PeopleAnswer<'users'>['value']
  /** The token of the next page. */
  next: string | undefined
}

/** What the page's address asks for. Throws ApiError. */
export async function readMembers(context: PortalContext): Promise<FoundMembers> {
  const query = readSearch(context)
  const isLacking = context.query.get('lacking') === 'factor'
  const narrowed = `${searchQuery(query)}${isLacking ? '&secondFactor=missing' : ''}`
  const { value, nextLink } = await context.api<PeopleAnswer<'users'>>('GET', `/users?${narrowed}`)
  return { search: query.search, isLacking, people: value, next: nextToken(nextLink) }
}

/** The table with its search. */
export function MemberList({ context, found }: { context: PortalContext; found: FoundMembers }): VNode {
  const { search, isLacking, people, next } = found
  return (
    <section class="card" aria-label="Members">
      <SearchForm context={context} path={path} label="Name or e-mail address" search={search} />
      {isLacking ? <Lacking context={context} found={found} /> : null}
      {people.length === 0 && isLacking ? null : people.length === 0 ? (
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
        query={next === undefined ? undefined : { search, ...(isLacking && { lacking: 'factor' }), after: next }}
        text="More people"
      />
    </section>
  )
}

function Lacking({ context, found }: { context: PortalContext; found: FoundMembers }): VNode {
  const { people, next } = found
  const here =
    people.length === 1 ? 'One person needs' : `${people.length}${next === undefined ? '' : ' or more'} people need`
  return (
    <p id="lacking">
      {people.length === 0
        ? 'Everybody who needs a second factor has one.'
        : `${here} a second factor and ${people.length === 1 ? 'has' : 'have'} none. They are led to set one up when they sign in.`}{' '}
      <a href={context.link(path)}>Show everybody</a>
    </p>
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
