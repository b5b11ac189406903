// At the end of a page: the other languages that it can be read in. Each by its own name, so that somebody finds it who
// cannot read the rest.

import type { VNode } from 'preact'
import { languageNames, languages } from '../../languages/language.js'
import { languageParameter } from './language-choice.js'
import { useReading, useTexts } from './texts.js'

/** Nothing on pages that their address does not show, such as the answer to a form. */
export function LanguageLinks(): VNode | null {
  const { language, here } = useReading()
  const { frame } = useTexts()
  if (here === undefined) return null
  const to = (other: string) => `${here}${here.includes('?') ? '&' : '?'}${languageParameter}=${other}`
  return (
    <footer class="languages">
      <nav aria-label={frame.languages}>
        {languages.map((each) =>
          each === language ? (
            <span key={each} lang={each} aria-current="true">
              {languageNames[each]}
            </span>
          ) : (
            <a key={each} id={`language-${each}`} href={to(each)} lang={each} hreflang={each} rel="nofollow">
              {languageNames[each]}
            </a>
          ),
        )}
      </nav>
    </footer>
  )
}
