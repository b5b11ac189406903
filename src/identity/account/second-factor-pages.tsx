// What the second step's pages look like: the picture and the seed, the recovery codes that are shown once, and the way
// off.

import type { VNode } from 'preact'
import { encode } from 'uqr'
import type { Said } from '../../languages/texts.js'
import type { User } from '../../users/records.js'
import { useTexts } from '../../web/language/texts.js'
import { CodeField } from '../../web/pages/code-field.js'
import { Button, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { codesScript } from '../../web/pages/scripts.js'
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
  problem?: Said | undefined
}): VNode {
  const { account } = useTexts()
  const { secondFactor } = account
  return (
    <SettingsPage title={secondFactor.turnOnTitle} intro={secondFactor.turnOnIntro} user={user}>
      <div class="card">
        <h2>{secondFactor.first}</h2>
        <p>{secondFactor.scan}</p>
        <Picture text={seed.uri} />
        <p>
          <span class="label">{secondFactor.key}</span>
          <br />
          <code id="seed">{(seed.seed.match(/.{1,4}/g) ?? []).join(' ')}</code>
        </p>
        <hr />
        <h2>{secondFactor.second}</h2>
        <Form id="second-factor-form" action={path} token={token} hidden={{ sealed: seed.sealed }}>
          <CodeField error={problem} />
          <Button id="turn-on">{account.turnOn}</Button>
        </Form>
      </div>
    </SettingsPage>
  )
}

/** The codes, this once; with a script they are copied or kept as a file. Send it with `script: true`. */
export function CodesPage({ user, codes, isNew }: { user: User; codes: readonly string[]; isNew: boolean }): VNode {
  const { secondFactor } = useTexts().account
  return (
    <Page title={isNew ? secondFactor.isOn : secondFactor.newCodes} user={user} scripts={[codesScript.path]}>
      <div class="card">
        <h2>{secondFactor.keep}</h2>
        <p>{secondFactor.keepText}</p>
        <ul
          class="codes"
          id="recovery-codes"
          data-copy={secondFactor.copy}
          data-copied={secondFactor.copied}
          data-download={secondFactor.download}
          data-file="portcullis-recovery-codes.txt"
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        {isNew ? null : <p class="fine">{secondFactor.formerCodes}</p>}
        <a class="button" id="kept" href="/account">
          {secondFactor.kept}
        </a>
      </div>
    </Page>
  )
}

/** For somebody who has it on. */
export function ManagePage({ user, token, problem }: { user: User; token: string; problem?: Said }): VNode {
  const { account } = useTexts()
  const { secondFactor } = account
  return (
    <SettingsPage title={account.secondStep} intro={secondFactor.manageIntro} user={user}>
      <div class="card">
        <h2>{secondFactor.codes}</h2>
        <p>{secondFactor.codesText}</p>
        <Form id="renew-form" action={path} token={token} hidden={{ action: 'renew' }}>
          <Button id="renew-codes" kind="plain">
            {secondFactor.showNew}
          </Button>
        </Form>
      </div>
      <div class="card">
        <h2>{secondFactor.off}</h2>
        <ProblemNotice problem={problem} />
        <Notice>
          <p>{secondFactor.offText}</p>
        </Notice>
        <Form id="off-form" action={path} token={token} hidden={{ action: 'off' }}>
          <Button id="turn-off" kind="danger">
            {secondFactor.turnOff}
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
      aria-label={useTexts().account.secondFactor.picture}
      shape-rendering="crispEdges"
    >
      <path fill="#ffffff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000000" d={squares.join('')} />
    </svg>
  )
}
