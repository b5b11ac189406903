// Changes of a tenant, and of who belongs to it, that stop what works for others (stopping-acts.ts).

import { losses } from './losses.js'
import type { StoppingAct } from './stopping-act.js'

const { differs, isLowered, narrowsWays, waysQuery } = losses

/** By method and path below /api/v2. */
export const tenantActs: Readonly<Record<string, readonly StoppingAct[]>> = {
  'PATCH /tenants/:id': [
    {
      counted: '/tenants/:id',
      stops: ({ state }) => state === 'disabled',
      question: 'Switch off {name}?',
      what: 'Every token of it is refused at once, and nobody gets new ones there.',
      undo: 'Switched on again, it works as before.',
      button: 'Switch off',
    },
    {
      counted: '/tenants/:id',
      stops: (body, now) => body['deviceCodes'] === 'off' && differs(body, now, 'deviceCodes'),
      compares: ['deviceCodes'],
      question: 'Switch off device codes in {name}?',
      what: 'Nobody there signs a device in with a code any more. Who is signed in stays so.',
      undo: 'They can be allowed again at any time.',
      button: 'Switch off',
    },
    {
      counted: '/tenants/:id',
      stops: (body, now) => body['secondFactor'] !== 'none' && differs(body, now, 'secondFactor'),
      compares: ['secondFactor'],
      question: 'Demand a second factor in {name}?',
      what: 'Who needs one and has none has to set it up before anything else, and sign in to applications again.',
      undo: 'It can be left to each person again; what ended has to be signed in to again.',
      button: 'Demand it',
    },
    {
      counted: '/tenants/:id',
      stops: (body, now) => narrowsWays(body, now),
      compares: ['ownSignIn', 'signInProviders'],
      asks: waysQuery,
      question: 'Take only these ways to sign in to {name}?',
      what: 'Who signed in another way has to sign in again; who has no account at these providers cannot, except owners.',
      undo: 'The other ways can be taken again at any time.',
      button: 'Take only these',
    },
  ],
  'PATCH /tenants/:id/memberships/:userId': [
    {
      counted: '/users/:userId',
      stops: (body, now) => isLowered(body['role'], now),
      compares: ['role'],
      question: 'Give {name} a lesser role?',
      what: 'What applications hold for this person ends where it goes beyond the new role.',
      undo: 'The role can be given again; what ended has to be signed in to again.',
      button: 'Change the role',
    },
  ],
  'DELETE /tenants/:id/memberships/:userId': [
    {
      counted: '/users/:userId',
      question: 'Remove {name} from the tenant?',
      what: 'Their role and what they allowed applications there end at once. The account stays.',
      undo: 'They can be invited again; what they allowed has to be allowed again.',
      button: 'Remove',
    },
  ],
}
