// The step between coming back from a provider and going on to an application: a page of its own that moves by itself.
// Browsers hold every redirect that follows a form to the policy of the page that had it (form-action). That page is
// the provider's, which knows this server and not the application behind the request here.

import type { FastifyInstance } from 'fastify'
import { textsOf } from '../../web/language/reader-language.js'
import { registerPage } from '../../web/page-routes.js'
import { Page } from '../../web/pages/layout.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Purpose, readPurpose } from '../sign-in/purpose.js'
import { forApplication } from '../sign-in/sign-in-page.js'

/**
 * Registers /sign-in/external/<provider>/go-on. It decides nothing: whatever comes next looks at the session itself.
 */
export function registerContinue(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path: '/sign-in/external/:provider/go-on',
    routeId: 'sign-in-external-go-on',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      const purpose = await readPurpose(deps, request, browser)
      const { signIn } = textsOf(request)
      const page = (
        <Page title={signIn.moment} eyebrow={forApplication(purpose)} intro={signIn.signedIn}>
          <div class="card">
            <a class="button" id="go-on" href={purpose.next}>
              {signIn.goOn}
            </a>
          </div>
        </Page>
      )
      return sendPage(reply, 200, page, { forms: false, headers: { refresh: `0; url=${purpose.next}` } })
    },
  })
}

/** The purpose with that step before where it goes on. Without a waiting request everything stays on this origin. */
export function withContinue(purpose: Purpose, provider: string): Purpose {
  const { pending } = purpose
  if (pending === undefined) return purpose
  return { ...purpose, next: `/sign-in/external/${provider}/go-on?request=${encodeURIComponent(pending.id)}` }
}
