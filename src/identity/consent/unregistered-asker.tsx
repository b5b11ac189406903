// Who asks, where nobody registered the client (decision 152): its host first, because that is all that is known of it, or
// that it registered itself (decision 158), because then not even a host is; then the name that it chose, as words of
// somebody else.

import type { VNode } from 'preact'
import { documentLabel } from '../../directory/documents/client-document.js'
import type { DocumentFacts } from '../../directory/records.js'
import { hasLookalikes } from '../../naming/scripts.js'
import { shownName } from '../../naming/shown-name.js'
import { isOpenClientId } from '../../oauth/secrets/open-client-id.js'
import { useTexts } from '../../web/language/texts.js'
import { displayName } from '../../web/pages/display-name.js'
import { Notice } from '../../web/pages/elements.js'

/** `own` makes the ids of its parts. */
export function UnregisteredAsker({
  document,
  own,
}: {
  document: DocumentFacts
  own: (part: string) => string
}): VNode {
  const { url, clientName, formerName = '' } = document
  const isOpen = isOpenClientId(url)
  const { frame, consent } = useTexts()
  const { callsItself, formerly, itself, what, whatItself } = consent.unregistered
  const shown = isOpen ? itself : new URL(url).host
  return (
    <div class="asker" id={own('application')}>
      <span class="app-mark" aria-hidden="true">
        {isOpen ? '?' : shown[0]?.toUpperCase()}
      </span>
      <div class="what">
        <p class="name" id={own('application-name')}>
          <bdi>{shown}</bdi>
        </p>
        <p class="fine">
          <span class="tag warn" id={own('not-registered')}>
            {frame.notRegistered}
          </span>{' '}
          {isOpen ? whatItself : what}
        </p>
        <p class="fine" id={own('client-id')}>
          <code>{isOpen ? documentLabel(url) : url}</code>
        </p>
        {shownName(clientName) === '' ? null : (
          <p class="fine" id={own('client-name')}>
            {callsItself(<bdi>{displayName(clientName)}</bdi>)} {hasLookalikes(clientName) ? consent.lookalikes : ''}
          </p>
        )}
        {shownName(formerName) === '' ? null : (
          <p class="fine" id={own('former-name')}>
            {formerly(<bdi>{displayName(formerName)}</bdi>)}
          </p>
        )}
      </div>
    </div>
  )
}

/** That any program on the device could have sent the request, where the answer goes to one. Nothing for other addresses. */
export function LoopbackWarning({
  document,
  redirectUri,
}: {
  document: DocumentFacts | undefined
  redirectUri: string
}): VNode | null {
  const { consent } = useTexts()
  if (document === undefined || redirectUri.startsWith('https://')) return null
  return (
    <Notice id="loopback">
      <p>{consent.unregistered.loopback}</p>
    </Notice>
  )
}
