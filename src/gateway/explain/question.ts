// The question that an explanation answers, and what was found before it is put into words. Types only.

import type { TokenPrincipal } from '../../access/principal.js'
import type { SimulatedCaller, SimulatedToken } from '../../access/simulated-caller.js'
import type { Verdict } from '../admit.js'
import type { SimulatedRequest } from './dry-run.js'
import type { About } from './facts.js'

/** Who would call: nobody, the holder of this token, or an application with what it could get now. */
export type CallQuestion = Omit<SimulatedRequest, 'token'> & {
  caller:
    | { kind: 'nobody' }
    | { kind: 'token'; token: string }
    | ({ kind: 'simulated' } & Omit<SimulatedCaller, 'resource'>)
}

export interface Found {
  question: CallQuestion
  verdict: Verdict
  simulated: SimulatedToken | undefined
  /** Whose token it is, as far as that is proved or simulated. */
  principal: TokenPrincipal | undefined
  about: About | undefined
  path: string | undefined
  routeId: string | undefined
}
