// How a webhook is doing, in a word, and why.

import type { VNode } from 'preact'
import { dateTime } from '../dates.js'
import type { Webhook } from './read-webhook.js'

/** A tag, with the reason below it. */
export function WebhookState({ webhook }: { webhook: Webhook }): VNode {
  const { enabled, disabledBecause, failingSince } = webhook
  if (!enabled) {
    const why =
      disabledBecause === 'gone'
        ? 'the receiver said that it is gone (410)'
        : disabledBecause === 'failing'
          ? 'every attempt failed for five days'
          : undefined
    return (
      <>
        <span class="tag warn">paused</span>
        {why === undefined ? null : <span class="under">{why}</span>}
      </>
    )
  }
  if (failingSince === null) return <span class="tag good">on</span>
  return (
    <>
      <span class="tag warn">failing</span>
      <span class="under">since {dateTime(Date.parse(failingSince))}</span>
    </>
  )
}
