// The frame of every page of the portal: the navigation beside the page, with what the person's role is for, and the
// tenant that they are in.

import type { FastifyReply } from 'fastify'
import type { ComponentChildren, VNode } from 'preact'
import { isAtLeast } from '../users/memberships/roles.js'
import { displayName } from '../web/pages/display-name.js'
import { Notice } from '../web/pages/elements.js'
import { Page } from '../web/pages/layout.js'
import { type SendOptions, sendPage } from '../web/pages/send-page.js'
import type { PortalContext } from './context.js'
import { portalScript } from './scripts.js'
import { portalStyles } from './stylesheet.js'
import { planRequestsPath, toolChangesPath } from './waiting.js'

export interface FrameProps {
  title: string
  tab?: string
  eyebrow?: ComponentChildren
  intro?: ComponentChildren
  /** The entry of the navigation that this page belongs to: its path. */
  activePath: string
  children?: ComponentChildren
}

const entries = [
  { path: '/portal', text: 'Overview', least: 'developer' },
  { path: '/portal/applications', text: 'Applications', least: 'developer' },
  { path: '/portal/apis', text: 'APIs', least: 'member' },
  { path: '/portal/explain', text: 'Explain', least: 'developer' },
  { path: '/portal/usage', text: 'Usage', least: 'developer' },
  { path: '/portal/consents', text: 'Consents', least: 'administrator' },
  { path: '/portal/plan-requests', text: 'Plan requests', least: 'administrator' },
  { path: '/portal/people', text: 'People', least: 'administrator' },
  { path: '/portal/audit', text: 'Audit', least: 'administrator' },
  { path: '/portal/webhooks', text: 'Webhooks', least: 'administrator' },
  { path: '/portal/registration-tokens', text: 'Registration tokens', least: 'administrator' },
  { path: '/portal/tools', text: 'Tool rules', least: 'administrator' },
  { path: '/portal/branding', text: 'Branding', least: 'member' },
  { path: '/portal/tenant', text: 'Tenant', least: 'member' },
  { path: '/portal/reference', text: 'API reference', least: 'member' },
  { path: '/docs', text: 'Documentation', least: 'member' },
] as const

const serverEntries = [
  { path: '/portal/server/tenants', text: 'Tenants' },
  { path: '/portal/server/keys', text: 'Signing keys' },
  { path: '/portal/server/routes', text: 'Routes' },
  { path: toolChangesPath, text: 'Tool changes' },
  { path: '/portal/server/plans', text: 'Plans' },
  { path: '/portal/server/status', text: 'Status' },
  { path: '/portal/server/providers', text: 'Providers' },
  { path: '/portal/server/operators', text: 'Operators' },
  { path: '/portal/server/brands', text: 'Brands' },
  { path: '/portal/server/audit', text: 'Audit of the server' },
] as const

interface SentFrame {
  status?: number | undefined
  /** Paths of further assets that portal/index.ts registered. */
  scripts?: readonly string[]
  /** Paths of further stylesheets of this server. */
  styles?: readonly string[]
  send?: SendOptions
}

/** Sends a page of the portal. */
export function sendFramed(reply: FastifyReply, context: PortalContext, props: FrameProps & SentFrame): FastifyReply {
  const { status = 200, scripts = [], styles = [], send = {}, activePath, children, ...page } = props
  const { name, email } = context.person.user
  const framed = (
    <Page
      {...page}
      width="wide"
      home="/portal"
      user={{ name, email }}
      styles={[portalStyles.path, ...styles]}
      scripts={[portalScript.path, ...scripts]}
      sidebar={<Navigation context={context} activePath={activePath} />}
    >
      <SwitchedOff context={context} />
      {children}
    </Page>
  )
  return sendPage(reply, status, framed, { ...send, language: 'en', script: true })
}

function Navigation({ context, activePath }: { context: PortalContext; activePath: string }): VNode {
  const { currentTenant, person, link } = context
  return (
    <nav class="beside" aria-label="Portal">
      <TenantSwitch context={context} />
      <ul>
        {entries
          .filter(({ least, path }) => isAtLeast(currentTenant.role, least) && isUsable(context, path))
          .map((entry) => (
            <Entry
              key={entry.path}
              path={entry.path === '/docs' ? entry.path : link(entry.path)}
              text={entry.text}
              isHere={entry.path === activePath}
              count={context.waiting.get(entry.path)}
            />
          ))}
      </ul>
      {person.user.isOperator ? (
        <>
          <p class="label">This server</p>
          <ul>
            {serverEntries
              .filter(({ path }) => path !== toolChangesPath || context.hasPins)
              .map((entry) => (
                <Entry
                  key={entry.path}
                  path={link(entry.path)}
                  text={entry.text}
                  isHere={entry.path === activePath}
                  count={context.waiting.get(entry.path)}
                />
              ))}
          </ul>
        </>
      ) : null}
    </nav>
  )
}

/** Without plans nobody requests any; a request from before is still decided. */
function isUsable({ hasPlans, waiting }: PortalContext, path: string): boolean {
  return path !== planRequestsPath || hasPlans || waiting.has(path)
}

interface EntryProps {
  path: string
  text: string
  isHere: boolean
  /** What waits there. */
  count?: string | undefined
}

function Entry({ path, text, isHere, count }: EntryProps): VNode {
  return (
    <li>
      <a href={path} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
        {text}
        {count === undefined ? null : (
          <span class="count">
            {count}
            <span class="unseen"> waiting</span>
          </span>
        )}
      </a>
    </li>
  )
}

/** Said on every page of the tenant: people who work there would look for the reason elsewhere. */
function SwitchedOff({ context: { currentTenant } }: { context: PortalContext }): VNode | null {
  if (currentTenant.state === 'enabled') return null
  return (
    <Notice id="tenant-off" title={`${displayName(currentTenant.name)} is switched off`}>
      <p>
        Its tokens are refused and nobody gets new ones, until an operator switches it on again. What you change here
        counts from then on.
      </p>
    </Notice>
  )
}

/** Where the person is; with several tenants a way to the others. */
function TenantSwitch({ context: { currentTenant, tenants } }: { context: PortalContext }): VNode {
  const name = displayName(currentTenant.name)
  if (tenants.length === 1) return <p class="tenant-switch">{name}</p>
  return (
    <details class="tenant-switch">
      <summary>{name}</summary>
      <ul>
        {tenants
          .filter(({ tenantId }) => tenantId !== currentTenant.tenantId)
          .map((other) => (
            <li key={other.tenantId}>
              <a href={`/portal/applications?tenant=${other.tenantId}`}>{displayName(other.name)}</a>
            </li>
          ))}
      </ul>
    </details>
  )
}
