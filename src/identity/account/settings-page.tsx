// The frame of each page below /account.

import type { VNode } from 'preact'
import { useTexts } from '../../web/language/texts.js'
import { Page, type PageProps } from '../../web/pages/layout.js'

/** A page with the way back to the account at its end. */
export function SettingsPage({ children, ...page }: PageProps): VNode {
  return (
    <Page {...page}>
      {children}
      <p class="fine">
        <a id="back" href="/account">
          {useTexts().frame.backToAccount}
        </a>
      </p>
    </Page>
  )
}
