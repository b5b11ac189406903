// The frame of every page about one application: its name, what state it is in, and the tabs that lead to the others.

import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { displayName } from '../identity/pages/display-name.js'
import type { SendOptions } from '../identity/pages/send-page.js'
import type { Answer } from '../management/schemas.js'
import { type FrameProps, sendFramed } from './frame.js'
import type { Visit } from './visit.js'

/** An application as the API answers it. */
export type Application = Answer<'application'>

const tabs = [
  { id: 'overview', path: '', text: 'Overview' },
  { id: 'credentials', path: '/credentials', text: 'Credentials' },
  { id: 'redirect-uris', path: '/redirect-uris', text: 'Redirect URIs' },
  { id: 'permissions', path: '/permissions', text: 'API permissions' },
  { id: 'owners', path: '/owners', text: 'Owners' },
  { id: 'try-it', path: '/try-it', text: 'Try it' },
  { id: 'activity', path: '/activity', text: 'Activity' },
  { id: 'usage', path: '/usage', text: 'Usage' },
] as const

export type ApplicationTab = (typeof tabs)[number]['id']

interface ApplicationPageProps extends Pick<FrameProps, 'lead' | 'children'> {
  application: Pick<Application, 'applicationId' | 'name' | 'state' | 'type'>
  at: ApplicationTab
  status?: number
  scripts?: readonly string[]
  send?: SendOptions
}

/** The path of a page of the application, without the tenant (`visit.link` adds it). */
export function applicationPath(applicationId: string, tab: ApplicationTab = 'overview'): string {
  const { path } = tabs.find(({ id }) => id === tab) ?? tabs[0]
  return `/portal/applications/${applicationId}${path}`
}

/** The application that the page's address names, as the visitor may see it. Throws ApiError 404 for anybody else's. */
export function readApplication(visit: Visit, id: string): Promise<Application> {
  return visit.api<Application>('GET', `/applications/${encodeURIComponent(id)}`)
}

/** Sends a page of the application. */
export function sendApplicationPage(reply: FastifyReply, visit: Visit, props: ApplicationPageProps): FastifyReply {
  const { application, at, children, ...rest } = props
  const { text } = tabs.find(({ id }) => id === at) ?? tabs[0]
  const name = displayName(application.name)
  return sendFramed(reply, visit, {
    ...rest,
    title: name,
    tab: `${text} · ${name}`,
    at: '/portal/applications',
    over: <Over visit={visit} application={application} />,
    children: (
      <>
        <nav aria-label="Of this application">
          <ul class="tabs">
            {tabs.map((tab) => (
              <li key={tab.id}>
                <a
                  id={`tab-${tab.id}`}
                  href={visit.link(applicationPath(application.applicationId, tab.id))}
                  {...(tab.id === at ? { 'aria-current': 'page' as const } : {})}
                >
                  {tab.text}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        {children}
      </>
    ),
  })
}

function Over({ visit, application }: { visit: Visit; application: ApplicationPageProps['application'] }): VNode {
  const disabled = application.state === 'disabled'
  return (
    <>
      <a href={visit.link('/portal/applications')}>Applications</a>
      {disabled ? (
        <>
          {' '}
          <span class="tag warn" id="is-disabled">
            Disabled
          </span>
        </>
      ) : null}
    </>
  )
}
