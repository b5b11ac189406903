// The form that signs in with a passkey. A script shows it where the browser has passkeys.

import type { ComponentChildren, VNode } from 'preact'
import { useTexts } from '../../../web/language/texts.js'
import { Button } from '../../../web/pages/elements.js'
import { HiddenForm } from '../../../web/pages/form.js'

/** `options` are what passkeyRequest made; `failed` is what to do when no passkey was used. */
export function PasskeyForm({
  action,
  token,
  options,
  kind,
  failed,
  children,
}: {
  action: string
  token: string
  options: object
  kind: 'primary' | 'plain'
  failed: string
  /** Above the button. */
  children?: ComponentChildren
}): VNode {
  const { signIn } = useTexts()
  return (
    <form id="passkey-form" method="post" action={action} hidden data-passkey-get={JSON.stringify(options)}>
      <HiddenForm token={token} />
      <input type="hidden" name="passkey" value="" />
      <div class="stack">
        {children}
        <Button id="use-passkey" kind={kind}>
          {signIn.passkey}
        </Button>
        <p class="fine" data-passkey-failed hidden role="alert">
          {signIn.noPasskey} {failed}
        </p>
      </div>
    </form>
  )
}
