// /portal/reference: the API reference. Anybody may read it; the person who is signed in and belongs to a tenant has
// the frame of the portal around it, and in it what services say to members.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { authorityCommands } from '../../downloads/authority.js'
import type { Reader } from '../../management/openapi/service-chapters.js'
import { queryOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { Page } from '../../web/pages/layout.js'
import { PageError } from '../../web/pages/page-error.js'
import { prerendered } from '../../web/pages/prerendered.js'
import { sendPage } from '../../web/pages/send-page.js'
import { getPage } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { portalScript } from '../scripts.js'
import { trustingCurl } from '../snippets/curl.js'
import { portalStyles } from '../stylesheet.js'
import { type Contents, contentsOf, readReferenceSearch, searchContents } from './chapters.js'
import { OperationView } from './operation-view.js'
import { referenceScript } from './reference-script.js'
import { ReferenceView } from './reference-view.js'

const path = '/portal/reference'
/** Why somebody who is signed in has no tenant to look from. */
const opensNoTenant: ReadonlySet<string> = new Set(['no_tenant', 'way_not_taken'])
const heading = { title: 'API reference', intro: 'Every endpoint of this server, with its parameters and responses.' }

/** Registers it. */
export function registerReference(scope: FastifyInstance, deps: PortalDependencies): void {
  const view = referenceViews(deps)
  const framed = getPage(deps, async (_request, reply, context) =>
    sendFramed(reply, context, {
      ...heading,
      activePath: path,
      scripts: [referenceScript.path],
      children: await view(
        'members',
        context.query,
        context.tenants.length > 1 ? context.currentTenant.tenantId : undefined,
      ),
    }),
  )
  registerPage(scope, deps, {
    path,
    routeId: 'portal-reference',
    async get(request, reply, browser) {
      const plain = async () => sendPlain(reply, await view('anybody', queryOf(request), undefined))
      if (browser.session === undefined) return plain()
      return framed(request, reply, browser).catch((error: unknown) => {
        if (error instanceof PageError && opensNoTenant.has(error.reason)) return plain()
        throw error
      })
    },
  })
}

type ViewDependencies = Pick<PortalDependencies, 'document' | 'authority' | 'settings'>

/** The page for a reader and what they look for. Its operations are written once for each document, which is long. */
function referenceViews({ document: documentOf, authority, settings }: ViewDependencies) {
  const curl = trustingCurl(authority)
  const trust = authority === undefined ? undefined : authorityCommands(authority, settings.server.baseUrl)
  const made = new Map<Reader, { of: unknown; contents: Contents }>()
  return async (reader: Reader, query: URLSearchParams, tenantId: string | undefined): Promise<VNode> => {
    const document = await documentOf(reader)
    const known = made.get(reader)
    const contents =
      known?.of === document
        ? known.contents
        : contentsOf(document, (at) => prerendered(<OperationView at={at} document={document} curl={curl} />))
    made.set(reader, { of: document, contents })
    const search = readReferenceSearch(query)
    const shown = searchContents(contents, search)
    return <ReferenceView document={document} shown={shown} search={search} tenantId={tenantId} trust={trust} />
  }
}

function sendPlain(reply: FastifyReply, content: VNode): FastifyReply {
  const scripts = [portalScript.path, referenceScript.path]
  const page = (
    <Page {...heading} width="wide" home="/portal" styles={[portalStyles.path]} scripts={scripts}>
      {content}
    </Page>
  )
  return sendPage(reply, 200, page, { language: 'en', script: true })
}
