// The page that asks somebody who is signed in for a second factor. What it looks like; step-up.tsx decides.

import type { VNode } from 'preact'
import type { Texts } from '../../../languages/english/texts.js'
import { useTexts } from '../../../web/language/texts.js'
import { Time } from '../../../web/language/time.js'
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
  /** The tenants that demand it, none where the server does; and until when one may go on without, epoch ms. */
  demand?: { names: readonly string[]; dueAtMs: number | undefined } | undefined
}

/** The page. */
export function StepUpPage(view: StepUpView): VNode {
  const { purpose, token, user, factors, passkeyOptions, mayGoWithout, demand } = view
  const { path } = purpose
  const { frame, signIn } = useTexts()
  const { stepUp } = signIn
  const lacks = !factors.code && !factors.passkey
  return (
    <Page
      title={lacks && demand !== undefined ? stepUp.setUp : stepUp.title}
      eyebrow={forApplication(purpose)}
      intro={introOf(stepUp, demand)}
      scripts={[passkeyScript.path]}
    >
      <div class="card">
        {factors.code ? (
          <Form id="step-up-form" action={path} token={token} hidden={{ action: 'second-factor' }}>
            <Button id="use-code">{stepUp.useCode}</Button>
          </Form>
        ) : null}
        {factors.passkey ? <Passkey path={path} token={token} options={passkeyOptions} isOnly={!factors.code} /> : null}
        {lacks ? <SetUp next={demand === undefined ? path : purpose.next} /> : null}
        {demand?.dueAtMs === undefined ? null : <p id="until">{stepUp.until(<Time at={demand.dueAtMs} />)}</p>}
        {mayGoWithout ? (
          <Form id="without-form" action={path} token={token} hidden={{ action: 'without' }}>
            <Button id="go-without" kind="plain">
              {demand === undefined ? stepUp.goWithout : stepUp.later}
            </Button>
          </Form>
        ) : null}
        <p class="fine center">{frame.signedInAs(displayName(user.email === '' ? user.name : user.email))}</p>
      </div>
      <p class="fine center">
        <a id="another-account" href={`${path}&another=yes`}>
          {signIn.asSomebodyElse}
        </a>
      </p>
    </Page>
  )
}

function introOf(stepUp: Texts['signIn']['stepUp'], demand: StepUpView['demand']): string {
  if (demand === undefined) return stepUp.intro
  const [first, ...others] = demand.names
  return first === undefined || others.length > 0 ? stepUp.demanded : stepUp.demandedBy(displayName(first))
}

/** The script shows the form where the browser has passkeys; without one the page says what it takes. */
function Passkey({ path, token, options, isOnly }: { path: string; token: string; options: object; isOnly: boolean }) {
  const { frame, signIn } = useTexts()
  return (
    <>
      {isOnly ? <p>{signIn.stepUp.onlyPasskey}</p> : null}
      <PasskeyForm
        action={path}
        token={token}
        options={options}
        kind={isOnly ? 'primary' : 'plain'}
        failed={frame.tryAgain}
      />
    </>
  )
}

/** Setting one up asks for nothing but a recent sign-in, so nobody is kept out. What was begun waits in this window. */
function SetUp({ next }: { next: string }) {
  const { stepUp } = useTexts().signIn
  return (
    <div class="stack" id="set-up">
      <p>{stepUp.none}</p>
      <a id="set-up-code" class="button" href="/account/second-factor" target="_blank" rel="noopener">
        {stepUp.setUpCode}
      </a>
      <a id="set-up-passkey" class="button plain" href="/account/passkeys" target="_blank" rel="noopener">
        {stepUp.setUpPasskey}
      </a>
      <a id="go-on" class="button plain" href={next}>
        {stepUp.isSetUp}
      </a>
    </div>
  )
}
