// What asking for a new password, and choosing it, look like.

import type { VNode } from 'preact'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { NewPasswordField } from '../../web/pages/new-password-field.js'
import { passwordScript } from '../../web/pages/scripts.js'

/** Asks for the address. `mails`: whether this server sends mail at all. */
export function AskPage({ token, mails }: { token: string; mails: boolean }): VNode {
  if (!mails) {
    return (
      <Page title="Reset your password" intro="This server sends no mail.">
        <div class="card">
          <p id="without-mail">
            Ask an administrator of your organisation for a link to a new password. Links work once, for an hour.
          </p>
          <BackToSignIn />
        </div>
      </Page>
    )
  }
  return (
    <Page title="Reset your password" intro="We will e-mail you a link to choose a new one.">
      <div class="card">
        <Form id="reset-form" action="/reset-password" token={token}>
          <Field id="email" label="E-mail address" type="email" autocomplete="username" autofocus />
          <Button id="send-link">Send the link</Button>
        </Form>
      </div>
      <p class="fine center">
        <a id="back" href="/sign-in">
          Back to the sign-in page
        </a>
      </p>
    </Page>
  )
}

/** The same for everybody. */
export function LinkSentPage({ mails }: { mails: boolean }): VNode {
  return (
    <Page title={mails ? 'Check your e-mail' : 'Reset your password'}>
      <div class="card">
        <p id="requested">
          {mails
            ? 'If there is an account with this address, a link to a new password is on its way. It works once, for an hour.'
            : 'This server sends no mail. Ask an administrator of your organisation for a link to a new password.'}
        </p>
        <BackToSignIn />
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
  problem?: string
}): VNode {
  return (
    <Page
      title="Choose a new password"
      intro="It signs you out everywhere and ends the access of applications."
      scripts={[passwordScript.path]}
    >
      <div class="card">
        <Form id="new-password-form" action={`/reset-password/${secret}`} token={token}>
          <NewPasswordField label="New password" length={passwordLength} error={problem} autofocus />
          <Button id="set-password">Set the password</Button>
        </Form>
      </div>
    </Page>
  )
}

/** Afterwards. */
export function PasswordSetPage(): VNode {
  return (
    <Page title="Your password is set" intro="Sign in with it now.">
      <div class="card">
        <a class="button" id="sign-in-now" href="/sign-in">
          Sign in
        </a>
      </div>
    </Page>
  )
}

function BackToSignIn(): VNode {
  return (
    <a class="button plain" id="back" href="/sign-in">
      Back to the sign-in page
    </a>
  )
}
