// The parts that all pages about consent share: who asks, and for what.

import type { VNode } from 'preact'
import type { Registration } from '../../directory/records.js'
import { hasLookalikes } from '../../naming/scripts.js'
import { useTexts } from '../../web/language/texts.js'
import { displayName } from '../../web/pages/display-name.js'
import type { Sentence } from './sentences.js'

/**
 * The application, as far as anybody can vouch for it (C1). `home`: the organisation that registered it, and whether
 * that is the reader's own; `id`: apart from others on the same page.
 */
export function Asker({
  registration,
  home,
  id = '',
}: {
  registration: Registration
  home?: { name: string; isOwn: boolean } | undefined
  id?: string
}): VNode {
  const own = (part: string) => (id === '' ? part : `${part}-${id}`)
  const { name, publisher, verified } = registration
  const shown = displayName(name)
  const { frame, consent } = useTexts()
  return (
    <div class="asker" id={own('application')}>
      <span class="app-mark" aria-hidden="true">
        {[...shown.replace(/^\(/, '')][0]?.toUpperCase()}
      </span>
      <div class="what">
        <p class="name" id={own('application-name')}>
          <bdi>{shown}</bdi>
        </p>
        <p class="fine" id={own('publisher')}>
          {publisher === '' ? consent.noPublisher : <bdi>{displayName(publisher)}</bdi>}{' '}
          <span class={tagOf(verified, home?.isOwn)} id={own('verified')}>
            {verified ? frame.verified : frame.unverified}
          </span>
        </p>
        {home === undefined ? null : (
          <p class="fine" id={own('registered-by')}>
            {(home.isOwn ? consent.registeredByOwn : consent.registeredByOther)(<bdi>{displayName(home.name)}</bdi>)}
          </p>
        )}
        {hasLookalikes(name) ? (
          <p class="fine" id={own('lookalikes')}>
            {consent.lookalikes}
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** That nobody vouches for it is no warning where the reader's own organisation registered it. */
function tagOf(verified: boolean, isOwn: boolean | undefined): string {
  if (verified) return 'tag good'
  return isOwn === true ? 'tag' : 'tag warn'
}

export interface Line extends Sentence {
  mark?: 'new' | 'granted' | 'removed' | undefined
}

const marks = { new: 'tag new', granted: 'tag', removed: 'tag warn' } as const

/**
 * Permissions, each in its sentence with its id below it. `kinds`: say which of the two kinds; `gone`: they are taken
 * away.
 */
export function Permissions({
  id,
  lines,
  kinds,
  gone,
}: {
  id: string
  lines: readonly Line[]
  kinds?: boolean
  gone?: boolean
}): VNode {
  const { consent } = useTexts()
  return (
    <ul class={gone === true ? 'permissions gone' : 'permissions'} id={id}>
      {lines.map(({ ref, text, lang, resource, mark }) => (
        <li key={`${ref.kind} ${ref.resource} ${ref.id}`}>
          <p>
            {lang === undefined ? text : <span lang={lang}>{text}</span>}
            {mark === undefined ? null : (
              <>
                {' '}
                <span class={marks[mark]}>{consent.marks[mark]}</span>
              </>
            )}
          </p>
          <p class="fine">
            {resource === undefined ? <code>{ref.id}</code> : consent.ofApi(<code>{ref.id}</code>, resource)}
            {kinds === true ? ` · ${ref.kind === 'application' ? consent.asItself : consent.forPeople}` : null}
          </p>
        </li>
      ))}
    </ul>
  )
}
