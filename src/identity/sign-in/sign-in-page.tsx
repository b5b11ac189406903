// The sign-in page and the one that asks whether to go on as the person who is signed in. What they look like;
// sign-in.tsx decides.

import type { VNode } from 'preact'
import type { Said } from '../../languages/texts.js'
import { useTexts } from '../../web/language/texts.js'
import { ApplicationName } from '../../web/pages/application-name.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { passkeyScript } from '../../web/pages/scripts.js'
import { PasskeyForm } from './passkeys/passkey-form.js'
import type { Purpose } from './purpose.js'

export interface SignInView {
  purpose: Purpose
  token: string
  /** What the address field says. */
  email: string
  /** Why the last attempt did not work. */
  problem?: Said | undefined
  /** What a passkey is to sign: WebAuthn's options as JSON. */
  passkeyOptions: object
  providers: readonly { name: string; label: string }[]
  /** The tenant takes nothing else of most of its people: the form is one click away, for its owners. */
  onlyProviders: boolean
  /** A server that has no owner, and whether its first start printed the link for one. */
  nobodyYet?: { isLinkPrinted: boolean } | undefined
}

/** The page with the form, the passkey and the buttons of other providers. */
export function SignInPage({
  purpose,
  token,
  email,
  problem,
  passkeyOptions,
  providers,
  onlyProviders,
  nobodyYet,
}: SignInView): VNode {
  const { path } = purpose
  const { frame, signIn } = useTexts()
  const again = purpose.mode === 'again'
  if (onlyProviders) return <ProvidersPage providers={providers} purpose={purpose} />
  return (
    <Page
      title={again ? signIn.again : signIn.title}
      eyebrow={forApplication(purpose)}
      intro={again ? signIn.againIntro : undefined}
      scripts={[passkeyScript.path]}
    >
      {nobodyYet === undefined ? null : <NobodyYet isLinkPrinted={nobodyYet.isLinkPrinted} />}
      <div class="card">
        <ProblemNotice problem={problem} />
        <Form id="sign-in-form" action={path} token={token}>
          <Field
            id="email"
            label={frame.email}
            type="email"
            autocomplete="username webauthn"
            inputMode="email"
            value={email}
            autofocus={email === ''}
          />
          <Field
            id="password"
            label={frame.password}
            type="password"
            autocomplete="current-password"
            maxLength={1024}
            autofocus={email !== ''}
          />
          <Button id="sign-in">{signIn.title}</Button>
        </Form>
        <PasskeyForm action={path} token={token} options={passkeyOptions} kind="plain" failed={signIn.tryOrPassword}>
          <p class="or">{signIn.or}</p>
        </PasskeyForm>
        <Providers providers={providers} purpose={purpose} />
      </div>
      <p class="fine center">
        <a id="reset-password" href={path.replace('/sign-in', '/reset-password')}>
          {signIn.forgot}
        </a>
      </p>
    </Page>
  )
}

/** For a tenant whose people sign in elsewhere. */
function ProvidersPage({ providers, purpose }: Pick<SignInView, 'providers' | 'purpose'>): VNode {
  const { signIn } = useTexts()
  const { path, ways } = purpose
  return (
    <Page title={signIn.title} eyebrow={forApplication(purpose)}>
      <div class="card">
        <p id="ways">{signIn.ways.only(displayName(ways?.tenantName ?? ''))}</p>
        <Providers providers={providers} purpose={purpose} isOnly />
      </div>
      <p class="fine center">
        <a id="own-way" href={`${path}${path.includes('?') ? '&' : '?'}another=yes&own=yes`}>
          {signIn.ways.owners}
        </a>
      </p>
    </Page>
  )
}

/** Where the link is, and never the link: anybody may look at this page. */
function NobodyYet({ isLinkPrinted }: { isLinkPrinted: boolean }): VNode {
  const { nobodyYet } = useTexts().signIn
  return (
    <Notice id="nobody-yet" title={nobodyYet.title}>
      <p>{isLinkPrinted ? nobodyYet.printed : nobodyYet.notPrinted}</p>
      <p>
        <code>portcullis set-up-link</code>
      </p>
    </Notice>
  )
}

/** Asks somebody who is signed in whether to go on as they are. */
export function ContinuePage({
  purpose,
  token,
  user,
}: {
  purpose: Purpose
  token: string
  user: { name: string; email: string }
}): VNode {
  const { frame, signIn } = useTexts()
  return (
    <Page title={signIn.choose} eyebrow={forApplication(purpose)}>
      <div class="card">
        <Form id="continue-form" action={purpose.path} token={token} hidden={{ action: 'continue' }}>
          <div class="stack">
            <Button id="continue">{signIn.continueAs(displayName(user.name === '' ? user.email : user.name))}</Button>
            <a
              id="another-account"
              class="button plain"
              href={`${purpose.path}${purpose.path.includes('?') ? '&' : '?'}another=yes`}
            >
              {signIn.useAnother}
            </a>
          </div>
        </Form>
        <p class="fine center">{frame.signedInAs(displayName(user.email === '' ? user.name : user.email))}</p>
      </div>
    </Page>
  )
}

/** Which application one signs in to; undefined for none. */
export function forApplication({ application }: Pick<Purpose, 'application'>): VNode | undefined {
  return application && <ApplicationName application={application} isSignIn />
}

function Providers({
  providers,
  purpose: { pending },
  isOnly = false,
}: Pick<SignInView, 'providers' | 'purpose'> & { isOnly?: boolean }): VNode | null {
  const { signIn } = useTexts()
  if (providers.length === 0) return null
  const query = pending === undefined ? '' : `?request=${encodeURIComponent(pending.id)}`
  return (
    <div class="stack" id="providers">
      {isOnly ? null : <p class="or">{signIn.orWith}</p>}
      {providers.map(({ name, label }) => (
        <a key={name} id={`provider-${name}`} class="button plain" href={`/sign-in/external/${name}${query}`}>
          {displayName(label)}
        </a>
      ))}
    </div>
  )
}
