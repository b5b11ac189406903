// The parts that all pages about consent share: who asks, and for what.

import type { VNode } from 'preact'
import type { ApplicationBrand } from '../../directory/brands/application-brand.js'
import type { Registration } from '../../directory/records.js'
import { hasLookalikes } from '../../naming/scripts.js'
import { useTexts } from '../../web/language/texts.js'
import { displayName } from '../../web/pages/display-name.js'
import type { Sentence } from './sentences.js'
import { UnregisteredAsker } from './unregistered-asker.js'

/**
 * The application, as far as anybody can vouch for it (C1). `home`: the organisation that registered it, and whether
 * that is the reader's own; `id`: apart from others on the same page.
 */
export function Asker({
  registration,
  home,
  claim,
  id = '',
}: {
  registration: Registration
  /** What it says of itself. */
  claim?: ApplicationBrand | undefined
  home?: { name: string; isOwn: boolean } | undefined
  id?: string
}): VNode {
  const own = (part: string) => (id === '' ? part : `${part}-${id}`)
  const { name, publisher, verified, document } = registration
  const shown = displayName(name)
  const { frame, consent } = useTexts()
  if (document !== undefined) return <UnregisteredAsker document={document} own={own} />
  return (
    <div class="asker" id={own('application')}>
      {claim?.logo === undefined ? (
        <span class="app-mark" aria-hidden="true">
          {[...shown.replace(/^\(/, '')][0]?.toUpperCase()}
        </span>
      ) : (
        <img class="app-logo" src={claim.logo.path} width={claim.logo.width} height={claim.logo.height} alt="" />
      )}
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
        {claim === undefined ? null : <ClaimedLinks claim={claim} id={own('claimed')} />}
        {hasLookalikes(name) ? (
          <p class="fine" id={own('lookalikes')}>
            {consent.lookalikes}
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** Where the application says that it is at home: in its words, so where each leads can be read. */
function ClaimedLinks({ claim, id }: { claim: ApplicationBrand; id: string }): VNode | null {
  const { frame, consent } = useTexts()
  const links = [
    { href: claim.home, text: claim.home === '' ? '' : new URL(claim.home).host },
    { href: claim.terms, text: frame.terms },
    { href: claim.privacy, text: frame.privacy },
  ].filter(({ href }) => href !== '')
  if (links.length === 0) return null
  return (
    <p class="fine claimed" id={id}>
      {consent.saysItself}{' '}
      {links.map(({ href, text }) => (
        <a key={text} href={href} rel="noopener noreferrer nofollow">
          <bdi>{text}</bdi>
        </a>
      ))}
    </p>
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
  return (
    <ul class={gone === true ? 'permissions gone' : 'permissions'} id={id}>
      {lines.map((line) => (
        <li key={`${line.ref.kind} ${line.ref.resource} ${line.ref.id}`}>
          <PermissionText line={line} kinds={kinds === true} />
        </li>
      ))}
    </ul>
  )
}

/** One of them. */
export function PermissionText({ line, kinds = false }: { line: Line; kinds?: boolean }): VNode {
  const { ref, text, lang, resource, mark } = line
  const { consent } = useTexts()
  return (
    <>
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
        {kinds ? ` · ${ref.kind === 'application' ? consent.asItself : consent.forPeople}` : null}
      </p>
    </>
  )
}
