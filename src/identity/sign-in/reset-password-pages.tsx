// What asking for a new password, and choosing it, look like.

import type { VNode } from 'preact'
import type { Said } from '../../languages/texts.js'
import { useTexts } from '../../web/language/texts.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { NewPasswordField } from '../../web/pages/new-password-field.js'
import { passwordScript } from '../../web/pages/scripts.js'

/** `request`: what waits for the person; `mails`: whether this server sends mail at all. */
interface About {
  request: string | undefined
  mails: boolean
}

/** Asks for the address. */
export function AskPage({ token, request, mails }: About & { token: string }): VNode {
  const { frame, signIn } = useTexts()
  const { reset } = signIn
  if (!mails) {
    return (
      <Page title={reset.title} intro={reset.noMail}>
        <div class="card">
          <p id="without-mail">{reset.askAdministrator}</p>
          <BackToSignIn request={request} />
        </div>
      </Page>
    )
  }
  return (
    <Page title={reset.title} intro={reset.intro}>
      <div class="card">
        <Form id="reset-form" action={withRequest('/reset-password', request)} token={token}>
          <Field id="email" label={frame.email} type="email" autocomplete="username" autofocus />
          <Button id="send-link">{reset.send}</Button>
        </Form>
      </div>
      <p class="fine center">
        <a id="back" href={withRequest('/sign-in', request)}>
          {frame.backToSignIn}
        </a>
      </p>
    </Page>
  )
}

/** The same for everybody. */
export function LinkSentPage({ request, mails }: About): VNode {
  const { reset } = useTexts().signIn
  return (
    <Page title={mails ? reset.check : reset.title}>
      <div class="card">
        <p id="requested">{mails ? reset.onItsWay : reset.noMailAsk}</p>
        <BackToSignIn request={request} />
      </div>
    </Page>
  )
}

/** The page behind the link. */
export function NewPasswordPage({
  secret,
  token,
  passwordLength,
  problem,
}: {
  secret: string
  token: string
  passwordLength: number
  problem?: Said
}): VNode {
  const { reset } = useTexts().signIn
  return (
    <Page title={reset.choose} intro={reset.chooseIntro} scripts={[passwordScript.path]}>
      <div class="card">
        <Form id="new-password-form" action={`/reset-password/${secret}`} token={token}>
          <NewPasswordField label={reset.newPassword} length={passwordLength} error={problem} autofocus />
          <Button id="set-password">{reset.set}</Button>
        </Form>
      </div>
    </Page>
  )
}

/** Afterwards. */
export function PasswordSetPage(): VNode {
  const { signIn } = useTexts()
  return (
    <Page title={signIn.reset.done} intro={signIn.reset.doneIntro}>
      <div class="card">
        <a class="button" id="sign-in-now" href="/sign-in">
          {signIn.title}
        </a>
      </div>
    </Page>
  )
}

/** `path` with the request that waits, so that its page looks like that it came from. */
function withRequest(path: string, request: string | undefined): string {
  return request === undefined ? path : `${path}?request=${encodeURIComponent(request)}`
}

function BackToSignIn({ request }: { request?: string | undefined }): VNode {
  const { frame } = useTexts()
  return (
    <a class="button plain" id="back" href={withRequest('/sign-in', request)}>
      {frame.backToSignIn}
    </a>
  )
}
