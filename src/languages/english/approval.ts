// Approving a single call of an agent.

import type { Part, Sentence } from '../sentence.js'

export const approval = {
  title: 'Approve this call?',
  intro: 'An agent wants to use a tool in your name. It goes on only if you allow it here.',
  tool: 'Tool',
  server: 'Server',
  with: 'Arguments',
  hidden: 'Invisible characters are shown as \\u and a number.',
  limits: (minutes: number) =>
    `You allow this one call, once, within ${minutes} minutes. A different call, or the same one later, needs your approval again.`,
  decideUntil: 'Decide until',
  refuse: 'Refuse',
  allow: 'Allow once',
  allowed: 'Call allowed',
  allowedText: (time: Part): Sentence => [
    'The agent may make this call once, until ',
    time,
    '. Go back to it; it may have to try again.',
  ],
  refused: 'Call refused',
  refusedText: 'Nothing was done. If you did not expect this call, withdraw the agent’s access.',
  used: 'Call made',
  usedText: 'You allowed this call, and the agent has made it. It cannot be made again without you.',
  over: 'This request has ended',
  overText:
    'It was not decided or used in time, or the agent’s access was withdrawn. The call is not made. If it is still needed, the agent can ask again.',
  none: {
    title: 'There is no such request',
    what: 'Nothing waits for you at this address. The request may have ended long ago, or be for somebody else.',
    remedy: 'Sign in as the person for whom the agent works, or let the agent try again and open the new address.',
  },
}
