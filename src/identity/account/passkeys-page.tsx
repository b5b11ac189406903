// What the passkeys' page looks like.

import type { VNode } from 'preact'
import type { Passkey } from '../../users/credentials/passkeys.js'
import type { User } from '../../users/records.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field, Notice } from '../../web/pages/elements.js'
import { Form, HiddenForm } from '../../web/pages/form.js'
import { passkeyScript } from '../../web/pages/scripts.js'
import { dateTime } from './dates.js'
import { Done } from './done-notice.js'
import { SettingsPage } from './settings-page.js'

const path = '/account/passkeys'

export interface PasskeysView {
  user: User
  token: string
  passkeys: readonly Passkey[]
  /** WebAuthn's options as JSON. */
  creation: object
  done: string | undefined
  problem: boolean
}

/** The page. */
export function PasskeysPage({ user, token, passkeys, creation, done, problem }: PasskeysView): VNode {
  return (
    <SettingsPage
      title="Passkeys"
      intro="A passkey signs you in with your fingerprint, your face or a security key: nothing to remember, nothing to steal."
      width="wide"
      user={user}
      scripts={[passkeyScript.path]}
    >
      <Done done={done} />
      {problem ? (
        <Notice id="problem" kind="error">
          <p>That passkey could not be saved. Try once more.</p>
        </Notice>
      ) : null}
      <div class="card">
        {passkeys.length === 0 ? (
          <p id="none">You have no passkey yet.</p>
        ) : (
          <ul class="list" id="passkeys">
            {passkeys.map((passkey) => (
              <One key={passkey.credentialId} passkey={passkey} token={token} />
            ))}
          </ul>
        )}
      </div>
      <div class="card">
        <h2>Add a passkey</h2>
        <p id="without-passkeys" data-without-passkeys>
          This browser has no passkeys, or runs no scripts.
        </p>
        <form id="passkey-form" method="post" action={path} hidden data-passkey-create={JSON.stringify(creation)}>
          <HiddenForm token={token} />
          <input type="hidden" name="passkey" value="" />
          <Field
            id="name"
            label="Name"
            hint="So that you know it again, such as “Phone”."
            required={false}
            maxLength={100}
          />
          <Button id="add-passkey">Add a passkey</Button>
          <p class="fine" data-passkey-failed hidden role="alert">
            No passkey was made. Try again.
          </p>
        </form>
      </div>
    </SettingsPage>
  )
}

function One({ passkey, token }: { passkey: Passkey; token: string }): VNode {
  const { credentialId, createdAt, lastUsedAt } = passkey
  const name = displayName(passkey.name)
  const id = credentialId.slice(0, 12)
  return (
    <li>
      <span class="what">
        <span class="name">{name}</span>
        <span class="fine">
          Made {dateTime(createdAt)} · {lastUsedAt === null ? 'not used yet' : `last used ${dateTime(lastUsedAt)}`}
        </span>
        <details>
          <summary>Rename</summary>
          <Form id={`rename-${id}`} action={path} token={token} hidden={{ action: 'rename', credential: credentialId }}>
            <div class="field">
              <label for={`name-${id}`}>New name</label>
              <input id={`name-${id}`} name="name" value={name} maxlength={100} required autocomplete="off" />
            </div>
            <button type="submit" class="plain small">
              Save the name
            </button>
          </Form>
        </details>
      </span>
      <Form id={`remove-${id}`} action={path} token={token} hidden={{ action: 'remove', credential: credentialId }}>
        <button type="submit" class="danger small" aria-label={`Remove: ${name}`}>
          Remove
        </button>
      </Form>
    </li>
  )
}
