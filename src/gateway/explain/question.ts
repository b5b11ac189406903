// What is asked of an explanation, and what was found before it is put into words. Types only.

import type { TokenPrincipal } from '../../access/principal.js'
import type { SupposedCaller, SupposedToken } from '../../access/supposed-caller.js'
import type { Verdict } from '../admit.js'
import type { SupposedRequest } from './dry-run.js'
import type { About } from './facts.js'

/** Who would call: nobody, whoever holds this token, or an application with what it could get now. */
export type CallQuestion = Omit<SupposedRequest, 'token'> & {
  caller:
    | { kind: 'nobody' }
    | { kind: 'token'; token: string }
    | ({ kind: 'supposed' } & Omit<SupposedCaller, 'resource'>)
}

export interface Found {
  question: CallQuestion
  verdict: Verdict
  supposed: SupposedToken | undefined
  /** Whose token it is, as far as that is proved or supposed. */
  principal: TokenPrincipal | undefined
  about: About | undefined
  path: string | undefined
  routeId: string | undefined
}
