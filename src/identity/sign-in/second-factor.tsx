// Between the password, or another provider, and the second factor nobody is signed in: what was proved so far waits
// for this browser, for ten minutes and a handful of codes (U7: the throttle counts them too), and is taken once.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import type { Said } from '../../languages/texts.js'
import { checkSecondFactor } from '../../users/credentials/second-factor.js'
import type { Browser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { knownDevice } from '../../web/known-device.js'
import { queryOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { errorText, PageError } from '../../web/pages/page-error.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { finishSignIn, tooManyAttempts } from './finish.js'
import { type Purpose, readPurpose } from './purpose.js'
import { SecondFactorPage } from './second-factor-page.js'
import { beginStep, findStep, noteWrong, type Proven, type Step, takeStep } from './second-step.js'
import { finishStepUp } from './step-up/finish-step-up.js'

const path = '/sign-in/second-factor'
/** Wrong codes until the password is requested again. */
const mostWrong = 5

/**
 * Remembers that the first factor was right and asks for the second. Throws PageError 429 when this person has begun
 * too often.
 */
export async function beginSecondFactor(
  deps: IdentityDependencies,
  { reply, browser, purpose }: { reply: FastifyReply; browser: Browser; purpose: Purpose },
  proven: Proven,
): Promise<FastifyReply> {
  const step = await beginStep(deps, browser, proven, requestContext(reply.request).address)
  if ('retryAfterSeconds' in step) {
    throw tooManyAttempts(step.retryAfterSeconds, [{ href: purpose.path, text: ({ frame }) => frame.backToSignIn }])
  }
  return reply.redirect(addressOf(purpose, step.id), 303)
}

/** Registers /sign-in/second-factor. */
export function registerSecondFactor(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'sign-in-second-factor',
    beforeSecondFactor: true,
    get: async (request, reply, browser) => {
      const { purpose, step } = await readStep(deps, request, browser)
      return show(deps, reply, browser, { purpose, step })
    },
    post: async (request, reply, browser) => take(deps, request, reply, browser),
  })
}

async function take(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const { purpose, step } = await readStep(deps, request, browser)
  const fields = checkForm(deps, request, browser, `second-factor:${step.id}`)
  const { userId, way, provenAfter } = step
  const code = fields.get('code') ?? fields.get('recovery_code') ?? ''
  const { address } = requestContext(request)
  const device = knownDevice(deps, request)(userId)
  const result = await checkSecondFactor(deps.users, { userId, code, address, device })
  const here = addressOf(purpose, step.id)
  if (result.kind === 'wait')
    throw tooManyAttempts(result.retryAfterSeconds, [{ href: here, text: ({ frame }) => frame.back }])
  if (result.kind === 'refused') return refuse(deps, reply, browser, { purpose, step })
  // Of two forms with two good codes one signs in.
  if (!(await takeStep(deps, step))) throw expired(purpose)
  const by = result.by === 'code' ? 'code' : 'recoveryCode'
  const done =
    step.session === undefined
      ? await finishSignIn(deps, request, reply, {
          userId,
          proof: proofBy[step.first][by],
          way,
          purpose,
          provenAfter,
          basis: { codes: true, identity: step.identity },
        })
      : await finishStepUp(deps, { request, reply, browser, purpose }, by)
  if (done) return reply
  throw expired(purpose)
}

const proofBy = {
  pwd: { code: 'code', recoveryCode: 'recoveryCode' },
  fed: { code: 'externalCode', recoveryCode: 'externalRecoveryCode' },
} as const

async function refuse(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  { purpose, step }: { purpose: Purpose; step: Step },
): Promise<FastifyReply> {
  if (step.wrong + 1 >= mostWrong) {
    await takeStep(deps, step)
    throw expired(purpose)
  }
  await noteWrong(deps, step)
  const problem: Said = ({ signIn }) => signIn.secondStep.wrong
  return show(deps, reply, browser, { purpose, step, problem })
}

function show(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  { purpose, step, problem }: { purpose: Purpose; step: Step; problem?: Said },
): FastifyReply {
  const token = formToken(deps, browser, `second-factor:${step.id}`)
  const page = <SecondFactorPage purpose={purpose} path={addressOf(purpose, step.id)} token={token} problem={problem} />
  return sendPage(reply, problem === undefined ? 200 : 400, page, { formAction: purpose.formAction })
}

async function readStep(
  deps: IdentityDependencies,
  request: FastifyRequest,
  browser: Browser,
): Promise<{ purpose: Purpose; step: Step }> {
  const purpose = await readPurpose(deps, request, browser)
  const step = await findStep(deps, browser, queryOf(request).get('step') ?? undefined)
  // A second factor is added to the session that it was begun with, and to no other (C14).
  const isOver = step?.session !== undefined && browser.session?.idHash !== step.session
  if (step === undefined || isOver) throw expired(purpose)
  return { purpose, step }
}

function addressOf({ pending }: Purpose, step: string): string {
  const request = pending === undefined ? '' : `request=${encodeURIComponent(pending.id)}&`
  return `${path}?${request}step=${encodeURIComponent(step)}`
}

function expired({ path: href }: Purpose): PageError {
  return new PageError({
    status: 400,
    ...errorText(({ errors }) => errors.secondStep),
    links: [{ href, text: ({ signIn }) => signIn.title }],
    reason: 'no_second_step',
  })
}
