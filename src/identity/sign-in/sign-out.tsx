// Signing out: a page that asks, because a link or an image elsewhere must not be able to do it (C15), and the form
// that does.

import type { FastifyInstance } from 'fastify'
import { signOutBrowser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { useTexts } from '../../web/language/texts.js'
import { registerPage } from '../../web/page-routes.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'

const path = '/sign-out'

/** Registers /sign-out. */
export function registerSignOut(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'sign-out',
    beforeSecondFactor: true,
    get: async (_request, reply, browser) =>
      browser.session === undefined
        ? sendPage(reply, 200, <SignedOut />)
        : sendPage(reply, 200, <Asking token={formToken(deps, browser, 'sign-out')} />),
    post: async (request, reply, browser) => {
      checkForm(deps, request, browser, 'sign-out')
      await signOutBrowser(deps, request, reply)
      return reply.redirect(path, 303)
    },
  })
}

function Asking({ token }: { token: string }) {
  const { frame, signIn } = useTexts()
  return (
    <Page title={signIn.signOut.title} intro={signIn.signOut.intro}>
      <div class="card">
        <Form id="sign-out-form" action={path} token={token}>
          <div class="buttons">
            <Button id="sign-out-now">{frame.signOut}</Button>
            <a class="button plain" id="stay" href="/account">
              {signIn.signOut.stay}
            </a>
          </div>
        </Form>
      </div>
    </Page>
  )
}

function SignedOut() {
  const { signIn } = useTexts()
  return (
    <Page title={signIn.signOut.done} intro={signIn.signOut.doneIntro}>
      <div class="card">
        <a class="button" id="sign-in-again" href="/sign-in">
          {signIn.title}
        </a>
      </div>
    </Page>
  )
}
