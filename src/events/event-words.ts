// What each event says, in a sentence, for those who choose what a webhook hears of.

import { type EventType, eventTypes } from './event-types.js'

const words: Readonly<Record<EventType, string>> = {
  'application.registered': 'An application was registered.',
  'application.changed': 'A setting of an application was changed; which one, not to what.',
  'application.redirect_origin_added': 'An application may send people to a host that it did not use before.',
  'application.permissions_configured': 'An application asks for other permissions than before.',
  'application.enabled': 'An application was switched on again.',
  'application.disabled': 'An application was switched off; its tokens are refused.',
  'application.revoked': 'All tokens of an application were ended.',
  'application.deleted': 'An application was deleted.',
  'application.restored': 'A deleted application was restored; with or without its credentials.',
  'application.plan_changed': 'An application has another plan, or numbers of its own.',
  'application.plan_requested': 'Somebody requests a plan for an application that they may not choose.',
  'application.plan_declined': 'Such a request was declined.',
  'client.document_changed': 'A client that nobody registered became another one; what it was allowed is forgotten.',
  'secret.created': 'An application has another private key.',
  'secret.expiring': 'A private key ends soon.',
  'secret.ended': 'A private key was ended.',
  'consent.requested': 'Somebody asks an administrator to let an application do more.',
  'consent.declined': 'An administrator declined such a request.',
  'consent.granted': 'A person or an administrator let an application do something.',
  'consent.revoked': 'Such a consent was taken back.',
  'token.reuse_detected': 'A refresh token or a code came twice: somebody may have copied it.',
  'key.rotated': 'A signing key of the server has become active.',
  'key.removed': 'A signing key of the server is no longer accepted.',
  'tool.changed': 'A tool of an MCP server says something else of itself than was approved; whether it is held.',
  'usage.day_ended': 'A day in UTC is over: what each application called on it, with its plan, to be billed by.',
}

/** Every event with its words, in the order of the list. */
export const describedEvents: readonly { type: EventType; description: string }[] = eventTypes.map((type) => ({
  type,
  description: words[type],
}))
