// Whether the metadata names the registration endpoint (contract §8). Clients take that for an open door and end at its
// 401, so it is named only while it is one, or some tenant has made a registration token that can be used.

import { anyRegistrationToken } from '../../storage/sql/registrations/usable-registration-token.js'
import { StoreUnavailable } from '../../storage/sql/store.js'
import type { IdentityDependencies } from '../dependencies.js'

/** How long an answer is believed: untrusted parties who ask for the metadata cost the Store one query in that time. */
const freshMs = 2_000

/**
 * A function that says whether to announce it now. While the Store does not answer it says what it said last. Requests
 * that come at once share one query.
 */
export function registrationAnnouncement(
  deps: Pick<IdentityDependencies, 'monotonic' | 'now' | 'openClients' | 'settings' | 'store'>,
): () => Promise<boolean> {
  const { monotonic, now, openClients, settings, store } = deps
  let isAnnounced = false
  let readAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | undefined

  async function ask(): Promise<void> {
    readAt = monotonic()
    try {
      isAnnounced = await anyRegistrationToken(store.reader, now())
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    } finally {
      underWay = undefined
    }
  }

  return async () => {
    if (!settings.registration.standard) return false
    if (openClients.isOn) return true
    if (underWay === undefined && monotonic() - readAt >= freshMs) underWay = ask()
    await underWay
    return isAnnounced
  }
}
