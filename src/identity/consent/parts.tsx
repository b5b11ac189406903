// The parts that all pages about consent share: who asks, and for what.

import type { VNode } from 'preact'
import type { Registration } from '../../directory/records.js'
import { hasLookalikes } from '../../naming/scripts.js'
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
          {publisher === '' ? 'Publisher not stated' : <bdi>{displayName(publisher)}</bdi>}{' '}
          <span class={verified ? 'tag good' : 'tag warn'} id={own('verified')}>
            {verified ? 'Verified' : 'Unverified'}
          </span>
        </p>
        {home === undefined ? null : (
          <p class="fine" id={own('registered-by')}>
            Registered by {home.isOwn ? 'your organisation, ' : 'another organisation, '}
            <bdi>{displayName(home.name)}</bdi>
          </p>
        )}
        {hasLookalikes(name) ? (
          <p class="fine" id={own('lookalikes')}>
            This name mixes alphabets whose letters look alike. Make sure that it is the application you mean.
          </p>
        ) : null}
      </div>
    </div>
  )
}

export interface Line extends Sentence {
  mark?: 'new' | 'granted' | 'removed' | undefined
}

const marks = {
  new: ['tag new', 'New'],
  granted: ['tag', 'Allowed already'],
  removed: ['tag warn', 'Withdrawn'],
} as const

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
  return (
    <ul class={gone === true ? 'permissions gone' : 'permissions'} id={id}>
      {lines.map(({ ref, text, resource, mark }) => (
        <li key={`${ref.kind} ${ref.resource} ${ref.id}`}>
          <p>
            {text}
            {mark === undefined ? null : (
              <>
                {' '}
                <span class={marks[mark][0]}>{marks[mark][1]}</span>
              </>
            )}
          </p>
          <p class="fine">
            <code>{ref.id}</code>
            {resource === undefined ? null : <> of {resource}</>}
            {kinds === true ? (ref.kind === 'application' ? ' · as itself' : ' · for signed-in people') : null}
          </p>
        </li>
      ))}
    </ul>
  )
}

/** A time as people read it, the same everywhere: UTC. */
export function When({ at }: { at: number }): VNode {
  const iso = new Date(at).toISOString()
  return <time dateTime={iso}>{`${iso.slice(0, 10)}, ${iso.slice(11, 16)} UTC`}</time>
}
