// What the second step's pages look like: the picture and the seed, the recovery codes that are shown once, and the way
// off.

import type { VNode } from 'preact'
import { encode } from 'uqr'
import type { User } from '../../users/records.js'
import { CodeField } from '../../web/pages/code-field.js'
import { Button, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { SettingsPage } from './settings-page.js'

const path = '/account/second-factor'

/** With a seed that is nobody's until a code of it was entered. */
export function TurnOnPage({
  user,
  token,
  seed,
  problem,
}: {
  user: User
  token: string
  seed: { seed: string; uri: string; sealed: string }
  problem?: string | undefined
}): VNode {
  return (
    <SettingsPage
      title="Turn on the second step"
      intro="After your password you then enter a code that an authenticator app on your phone shows."
      user={user}
    >
      <div class="card">
        <h2>1. Add Portcullis to your app</h2>
        <p>Scan this picture with the app, or enter the key by hand.</p>
        <Picture text={seed.uri} />
        <p>
          <span class="label">Key</span>
          <br />
          <code id="seed">{(seed.seed.match(/.{1,4}/g) ?? []).join(' ')}</code>
        </p>
        <hr />
        <h2>2. Enter the code that it shows</h2>
        <Form id="second-factor-form" action={path} token={token} hidden={{ sealed: seed.sealed }}>
          <CodeField error={problem} />
          <Button id="turn-on">Turn on</Button>
        </Form>
      </div>
    </SettingsPage>
  )
}

/** The codes, this once. */
export function CodesPage({ user, codes, isNew }: { user: User; codes: readonly string[]; isNew: boolean }): VNode {
  return (
    <Page title={isNew ? 'The second step is on' : 'New recovery codes'} user={user}>
      <div class="card">
        <h2>Keep these recovery codes</h2>
        <p>
          Each signs you in once when your phone is not at hand. They are shown now and never again: print them, or put
          them into your password manager.
        </p>
        <ul class="codes" id="recovery-codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        {isNew ? null : <p class="fine">Your previous codes no longer work.</p>}
        <a class="button" id="kept" href="/account">
          I have kept them
        </a>
      </div>
    </Page>
  )
}

/** For somebody who has it on. */
export function ManagePage({ user, token }: { user: User; token: string }): VNode {
  return (
    <SettingsPage title="Second step" intro="It is on: signing in takes your password and a code." user={user}>
      <div class="card">
        <h2>Recovery codes</h2>
        <p>New ones replace those that you have.</p>
        <Form id="renew-form" action={path} token={token} hidden={{ action: 'renew' }}>
          <Button id="renew-codes" kind="plain">
            Show new recovery codes
          </Button>
        </Form>
      </div>
      <div class="card">
        <h2>Turn it off</h2>
        <Notice>
          <p>
            Then the password alone is enough. Every other browser is signed out, and applications have to ask again.
          </p>
        </Notice>
        <Form id="off-form" action={path} token={token} hidden={{ action: 'off' }}>
          <Button id="turn-off" kind="danger">
            Turn off the second step
          </Button>
        </Form>
      </div>
    </SettingsPage>
  )
}

/** A QR code as one path; always dark on white, which is what cameras expect. */
function Picture({ text }: { text: string }): VNode {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the key"
      shape-rendering="crispEdges"
    >
      <path fill="#ffffff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000000" d={squares.join('')} />
    </svg>
  )
}
