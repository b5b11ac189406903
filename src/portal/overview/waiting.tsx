// What waits for somebody to do something, as a list: how many, what, and the way there.

import type { ComponentChildren, VNode } from 'preact'

/** One thing that waits. */
export interface Waiting {
  id: string
  count: number
  /** With the count before it: `secrets end within 30 days`. */
  text: string
  /** Where to do something about it, with the tenant. */
  href: string
  /** Something stops, or has stopped. */
  isUrgent?: boolean
  /** Which ones. */
  details?: ComponentChildren
}

/** The list; without entries it says so. */
export function WaitingList({ entries }: { entries: readonly Waiting[] }): VNode {
  return (
    <section class="card" aria-labelledby="waiting-title">
      <h2 id="waiting-title">To look at</h2>
      {entries.length === 0 ? (
        <p id="nothing-waits">Nothing waits for you.</p>
      ) : (
        <ul class="waiting" id="waiting">
          {entries.map(({ id, count, text, href, isUrgent, details }) => (
            <li key={id} id={`waiting-${id}`} {...(isUrgent === true ? { class: 'urgent' } : {})}>
              <span class="how-many">{new Intl.NumberFormat('en-GB').format(count)}</span>
              <div class="what">
                <a href={href}>{text}</a>
                {details === undefined ? null : <span class="under">{details}</span>}
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
