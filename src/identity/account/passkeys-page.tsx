// What the passkeys' page looks like.

import type { VNode } from 'preact'
import type { Said } from '../../languages/texts.js'
import type { Passkey } from '../../users/credentials/passkeys.js'
import type { User } from '../../users/records.js'
import { useTexts } from '../../web/language/texts.js'
import { Time } from '../../web/language/time.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field, Notice } from '../../web/pages/elements.js'
import { Form, HiddenForm } from '../../web/pages/form.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { passkeyScript } from '../../web/pages/scripts.js'
import { Done, type DoneWord } from './done-notice.js'
import { SettingsPage } from './settings-page.js'

const path = '/account/passkeys'

export interface PasskeysView {
  user: User
  token: string
  passkeys: readonly Passkey[]
  /** WebAuthn's options as JSON. */
  creation: object
  done: DoneWord | undefined
  problem: boolean
  /** Why a passkey was not removed. */
  refused?: Said | undefined
}

/** The page. */
export function PasskeysPage({ user, token, passkeys, creation, done, problem, refused }: PasskeysView): VNode {
  const { account } = useTexts()
  return (
    <SettingsPage
      title={account.passkeys}
      intro={account.passkey.intro}
      width="wide"
      user={user}
      scripts={[passkeyScript.path]}
    >
      <Done done={done} />
      <ProblemNotice problem={refused} />
      {problem ? (
        <Notice id="problem" kind="error">
          <p>{account.passkey.notSaved}</p>
        </Notice>
      ) : null}
      <div class="card">
        {passkeys.length === 0 ? (
          <p id="none">{account.passkey.none}</p>
        ) : (
          <ul class="list" id="passkeys">
            {passkeys.map((passkey) => (
              <One key={passkey.credentialId} passkey={passkey} token={token} />
            ))}
          </ul>
        )}
      </div>
      <div class="card">
        <h2>{account.passkey.add}</h2>
        <p id="without-passkeys" data-without-passkeys>
          {account.passkey.unavailable}
        </p>
        <form id="passkey-form" method="post" action={path} hidden data-passkey-create={JSON.stringify(creation)}>
          <HiddenForm token={token} />
          <input type="hidden" name="passkey" value="" />
          <Field id="name" label={account.name} hint={account.passkey.nameHint} required={false} maxLength={100} />
          <Button id="add-passkey">{account.passkey.add}</Button>
          <p class="fine" data-passkey-failed hidden role="alert">
            {account.passkey.notMade}
          </p>
        </form>
      </div>
    </SettingsPage>
  )
}

function One({ passkey, token }: { passkey: Passkey; token: string }): VNode {
  const { credentialId, createdAt, lastUsedAt } = passkey
  const { account } = useTexts()
  const made = <Time at={createdAt} />
  const name = displayName(passkey.name)
  const id = credentialId.slice(0, 12)
  return (
    <li>
      <span class="what">
        <span class="name">{name}</span>
        <span class="fine">
          {lastUsedAt === null
            ? account.passkey.made(made)
            : account.passkey.madeAndUsed(made, <Time at={lastUsedAt} />)}
        </span>
        <details>
          <summary>{account.passkey.rename}</summary>
          <Form id={`rename-${id}`} action={path} token={token} hidden={{ action: 'rename', credential: credentialId }}>
            <div class="field">
              <label for={`name-${id}`}>{account.passkey.newName}</label>
              <input id={`name-${id}`} name="name" value={name} maxlength={100} required autocomplete="off" />
            </div>
            <button type="submit" class="plain small">
              {account.passkey.saveName}
            </button>
          </Form>
        </details>
      </span>
      <Form id={`remove-${id}`} action={path} token={token} hidden={{ action: 'remove', credential: credentialId }}>
        <button type="submit" class="danger small" aria-label={`${account.passkey.remove}: ${name}`}>
          {account.passkey.remove}
        </button>
      </Form>
    </li>
  )
}
