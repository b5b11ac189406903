// /portal/reference: the API reference. Anybody may read it; the person who is signed in and belongs to a tenant has
// the frame of the portal around it.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { registerPage } from '../../web/page-routes.js'
import { Page } from '../../web/pages/layout.js'
import { PageError } from '../../web/pages/page-error.js'
import { prerendered } from '../../web/pages/prerendered.js'
import { sendPage } from '../../web/pages/send-page.js'
import { getPage } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { portalScript } from '../scripts.js'
import { portalStyles } from '../stylesheet.js'
import { ReferenceView } from './reference-view.js'

const path = '/portal/reference'
const heading = { title: 'API reference', intro: 'Every endpoint of this server, with its parameters and responses.' }

/** Registers it. */
export function registerReference(scope: FastifyInstance, deps: PortalDependencies): void {
  let made: { of: unknown; content: VNode } | undefined
  const reference = () => {
    const document = deps.document()
    if (made?.of !== document) made = { of: document, content: prerendered(<ReferenceView document={document} />) }
    return made.content
  }
  const framed = getPage(deps, async (_request, reply, context) =>
    sendFramed(reply, context, { ...heading, activePath: path, children: reference() }),
  )
  registerPage(scope, deps, {
    path,
    routeId: 'portal-reference',
    async get(request, reply, browser) {
      if (browser.session === undefined) return sendPlain(reply, reference())
      return framed(request, reply, browser).catch((error: unknown) => {
        if (error instanceof PageError && error.reason === 'no_tenant') return sendPlain(reply, reference())
        throw error
      })
    },
  })
}

function sendPlain(reply: FastifyReply, content: VNode): FastifyReply {
  const page = (
    <Page {...heading} width="wide" home="/portal" styles={[portalStyles.path]} scripts={[portalScript.path]}>
      {content}
    </Page>
  )
  return sendPage(reply, 200, page, { forms: false, script: true })
}
