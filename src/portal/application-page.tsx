// The frame of every page about one application: its name, what state it is in, and the tabs that lead to the others.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import type { ClientAnswer } from '../management/applications/client-schemas.js'
import type { Answer } from '../management/schemas.js'
import { isAdministrator } from '../users/memberships/roles.js'
import { displayName } from '../web/pages/display-name.js'
import { Notice } from '../web/pages/elements.js'
import { FormsShown } from '../web/pages/form.js'
import type { SendOptions } from '../web/pages/send-page.js'
import type { PortalContext } from './context.js'
import { type FrameProps, sendFramed } from './frame.js'

/**
 * An application as the API answers it. `mayChange`: whether the person who is signed in may change it; absent: nobody
 * checked.
 */
export type Application = Answer<'application'> & { mayChange?: boolean }

const tabs = [
  { id: 'overview', path: '', text: 'Overview' },
  { id: 'credentials', path: '/credentials', text: 'Credentials' },
  { id: 'redirect-uris', path: '/redirect-uris', text: 'Redirect URIs' },
  { id: 'permissions', path: '/permissions', text: 'API permissions' },
  { id: 'branding', path: '/branding', text: 'Branding' },
  { id: 'owners', path: '/owners', text: 'Owners' },
  { id: 'plan', path: '/plan', text: 'Plan' },
  { id: 'try-it', path: '/try-it', text: 'Try it' },
  { id: 'activity', path: '/activity', text: 'Activity' },
  { id: 'usage', path: '/usage', text: 'Usage' },
] as const

export type ApplicationTab = (typeof tabs)[number]['id']

interface ApplicationPageProps extends Pick<FrameProps, 'intro' | 'children'> {
  application: Pick<Application, 'applicationId' | 'name' | 'state' | 'type' | 'mayChange'>
  at: ApplicationTab
  status?: number | undefined
  scripts?: readonly string[]
  send?: SendOptions
}

interface FramedApplication extends Pick<ApplicationPageProps, 'application'> {
  context: PortalContext
}

/** The path of a page of the application, without the tenant (`context.link` adds it). */
export function applicationPath(applicationId: string, tab: ApplicationTab = 'overview'): string {
  const { path } = tabs.find(({ id }) => id === tab) ?? tabs[0]
  return `/portal/applications/${applicationId}${path}`
}

/** The application that the page's address names. Throws as readApplication does. */
export function applicationOfPage(request: FastifyRequest, context: PortalContext): Promise<Application> {
  return readApplication(context, (request.params as { id: string }).id)
}

/** An application as the person who is signed in may see it. Throws ApiError 404 for anybody else's. */
export async function readApplication(context: PortalContext, id: string): Promise<Application> {
  const application = await context.api<Application>('GET', `/applications/${encodeURIComponent(id)}`)
  return { ...application, mayChange: await mayChange(context, application) }
}

/** As management/applications/change-request.ts decides it for people (decision 84). */
async function mayChange(
  { api, currentTenant, person }: PortalContext,
  { applicationId }: Application,
): Promise<boolean> {
  if (isAdministrator(currentTenant.role)) return true
  const { value } = await api<ClientAnswer<'owners'>>('GET', `/applications/${applicationId}/owners`)
  return value.some(({ ownerId }) => ownerId === person.user.userId)
}

/** Sends a page of the application. */
export function sendApplicationPage(
  reply: FastifyReply,
  context: PortalContext,
  props: ApplicationPageProps,
): FastifyReply {
  const { application, at, children, ...rest } = props
  const { mayChange = true } = application
  const { text } = tabs.find(({ id }) => id === at) ?? tabs[0]
  const name = displayName(application.name)
  return sendFramed(reply, context, {
    ...rest,
    title: name,
    tab: `${text} · ${name}`,
    activePath: '/portal/applications',
    eyebrow: <Eyebrow context={context} application={application} />,
    children: (
      <>
        <nav aria-label="Of this application">
          <ul class="tabs">
            {tabs.map((tab) => (
              <li key={tab.id}>
                <a
                  id={`tab-${tab.id}`}
                  href={context.link(applicationPath(application.applicationId, tab.id))}
                  {...(tab.id === at ? { 'aria-current': 'page' as const } : {})}
                >
                  {tab.text}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        {mayChange ? null : <OnlyOwners context={context} application={application} />}
        <FormsShown.Provider value={mayChange}>{children}</FormsShown.Provider>
      </>
    ),
  })
}

/** To developers who see it and do not own it. */
function OnlyOwners({ context, application }: FramedApplication): VNode {
  return (
    <Notice id="only-owners">
      <p>
        You see this application; its{' '}
        <a href={context.link(applicationPath(application.applicationId, 'owners'))}>owners</a> and the administrators
        of this tenant change it. Ask one of them to add you.
      </p>
    </Notice>
  )
}

function Eyebrow({ context, application }: FramedApplication): VNode {
  const disabled = application.state === 'disabled'
  return (
    <>
      <a href={context.link('/portal/applications')}>Applications</a>
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
