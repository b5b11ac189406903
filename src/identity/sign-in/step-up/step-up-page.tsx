// The page that asks somebody who is signed in for a second factor. What it looks like; step-up.tsx decides.

import type { VNode } from 'preact'
import { displayName } from '../../../web/pages/display-name.js'
import { Button } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import { Page } from '../../../web/pages/layout.js'
import { passkeyScript } from '../../../web/pages/scripts.js'
import { PasskeyForm } from '../passkeys/passkey-form.js'
import type { Purpose } from '../purpose.js'
import { forApplication } from '../sign-in-page.js'
import type { SecondFactors } from './second-factors.js'

export interface StepUpView {
  purpose: Purpose
  token: string
  user: { name: string; email: string }
  factors: SecondFactors
  /** What a passkey is to sign: WebAuthn's options as JSON. */
  passkeyOptions: object
  /** Whether one factor will do where the second is not at hand. */
  mayGoWithout: boolean
}

/** The page. */
export function StepUpPage({ purpose, token, user, factors, passkeyOptions, mayGoWithout }: StepUpView): VNode {
  const { path } = purpose
  return (
    <Page
      title="Confirm with your second factor"
      eyebrow={forApplication(purpose)}
      intro="You are signed in. This action also needs your second factor."
      scripts={[passkeyScript.path]}
    >
      <div class="card">
        {factors.code ? (
          <Form id="step-up-form" action={path} token={token} hidden={{ action: 'second-factor' }}>
            <Button id="use-code">Use a code of your app</Button>
          </Form>
        ) : null}
        {factors.passkey ? <Passkey path={path} token={token} options={passkeyOptions} isOnly={!factors.code} /> : null}
        {factors.code || factors.passkey ? null : <SetUp path={path} />}
        {mayGoWithout ? (
          <Form id="without-form" action={path} token={token} hidden={{ action: 'without' }}>
            <Button id="go-without" kind="plain">
              Go on without it
            </Button>
          </Form>
        ) : null}
        <p class="fine center">Signed in as {displayName(user.email === '' ? user.name : user.email)}</p>
      </div>
      <p class="fine center">
        <a id="another-account" href={`${path}&another=yes`}>
          Sign in as somebody else
        </a>
      </p>
    </Page>
  )
}

/** The script shows the form where the browser has passkeys; without one the page says what it takes. */
function Passkey({ path, token, options, isOnly }: { path: string; token: string; options: object; isOnly: boolean }) {
  return (
    <>
      {isOnly ? <p>Your second factor is a passkey. It needs a browser that has it, with scripts on.</p> : null}
      <PasskeyForm
        action={path}
        token={token}
        options={options}
        kind={isOnly ? 'primary' : 'plain'}
        failed="Try again."
      />
    </>
  )
}

/** Setting one up asks for nothing but a recent sign-in, so nobody is kept out. What was begun waits in this window. */
function SetUp({ path }: { path: string }) {
  return (
    <div class="stack" id="set-up">
      <p>
        You have none yet. Set one up in another window, an app that shows codes or a passkey; what you have started
        waits here.
      </p>
      <a id="set-up-code" class="button" href="/account/second-factor" target="_blank" rel="noopener">
        Set up codes of an app
      </a>
      <a id="set-up-passkey" class="button plain" href="/account/passkeys" target="_blank" rel="noopener">
        Set up a passkey
      </a>
      <a id="go-on" class="button plain" href={path}>
        I have set it up: go on
      </a>
    </div>
  )
}
