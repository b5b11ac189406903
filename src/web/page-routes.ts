// What all pages have in common: cookies, form bodies, nothing kept by anybody, and every refusal a page that says what
// to do. A page registered here cannot forget any of it.

import cookies from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteAddress } from '../http/requests/addresses.js'
import { requestContext } from '../http/requests/request-context.js'
import { type Browser, readBrowser } from './browser.js'
import { factorAddress, isHeldBack } from './demanded-factor.js'
import type { PageDependencies } from './dependencies.js'
import { isFormContentType, keepBodiesAsBytes } from './form-body.js'
import { keepLanguage } from './language/kept-language.js'
import { chosenLanguage, letChoose } from './language/language-choice.js'
import { multipartBoundary } from './multipart-form.js'
import { ownAddress } from './page-address.js'
import { sendPageError } from './page-errors.js'
import { errorText, PageError } from './pages/page-error.js'

type Answer = (request: FastifyRequest, reply: FastifyReply, browser: Browser) => Promise<FastifyReply>

export interface PageRoute {
  /** Fastify's pattern, such as `/set-up/:link`. */
  path: string
  /** In logs, metrics and limits. */
  routeId: string
  /** Shows something; it never changes anything that matters (C3). Also answers HEAD. */
  get?: Answer
  /** Takes a form. It must call checkForm before it does anything. */
  post?: Answer
  /**
   * Takes a form that another site may send, instead of `post`. Browsers send no cookies with it, so none is read or
   * set, and it must not do anything for anybody.
   */
  postFromElsewhere?: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  /** It is open to people who have to set up, or show, a second factor before anything else. */
  beforeSecondFactor?: true
  /** Its forms may have files, and are then multipart/form-data. */
  files?: true
  /** Those whose files are pictures: the form has them in base64. */
  pictures?: readonly string[]
  /** Bytes of a form; the token endpoint's limit when absent. */
  bodyLimit?: number
}

/** Registers a page with its refusals. The scope must have the guard per address. */
export function registerPage(scope: FastifyInstance, deps: PageDependencies, page: PageRoute): void {
  const plugin = async (own: FastifyInstance) => {
    await own.register(cookies, { hook: 'onRequest' })
    keepBodiesAsBytes(own)
    own.setErrorHandler((error, request, reply) => {
      noteForgery(deps, error, request)
      return sendPageError(error, request, reply)
    })
    addRoutes(own, deps, page)
  }
  // Without a name Fastify looks for one among all modules that are loaded, for each page.
  scope.register(Object.assign(plugin, { [Symbol.for('fastify.display-name')]: page.path }))
}

/** A form that was not shown here is recorded, for operators who look for attacks. */
function noteForgery({ activity }: PageDependencies, error: unknown, request: FastifyRequest): void {
  if (!(error instanceof PageError) || !['foreign_form', 'form_token'].includes(error.reason)) return
  const { address, requestId, entry } = requestContext(request)
  activity.note({
    event: 'browser.form-refused',
    address,
    requestId,
    details: { reason: error.reason, page: entry.route },
  })
}

function addRoutes(own: FastifyInstance, deps: PageDependencies, page: PageRoute): void {
  const { path, routeId, get, post, postFromElsewhere, bodyLimit, files, pictures = [] } = page
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    requestContext(request).entry.route = routeId
    reply.header('cache-control', 'no-store').header('vary', 'cookie, accept-language')
  }
  const answered = (answer: Answer) => async (request: FastifyRequest, reply: FastifyReply) => {
    const browser = await readBrowser(deps, request, reply)
    const isHeld = page.beforeSecondFactor !== true && (await isHeldBack(deps, browser.session))
    return isHeld ? reply.redirect(factorAddress(request), 303) : answer(request, reply, browser)
  }
  if (get !== undefined) {
    const choosing = async (request: FastifyRequest, reply: FastifyReply) => {
      const chosen = chosenLanguage(ownAddress(request))
      if (chosen === undefined) {
        letChoose(request, ownAddress(request))
        return answered(get)(request, reply)
      }
      keepLanguage(reply, chosen.language, deps.now())
      return reply.redirect(chosen.address, 303)
    }
    own.get(path, { onRequest: async (request, reply) => begin(request, reply) }, choosing)
  }
  const posted = postFromElsewhere ?? (post === undefined ? undefined : answered(post))
  if (posted !== undefined) {
    const options = {
      bodyLimit: bodyLimit ?? deps.settings.server.tokenBodyBytes,
      config: { pictures },
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        begin(request, reply)
        const type = request.headers['content-type']
        const isForm = isFormContentType(type) || (files === true && multipartBoundary(type) !== undefined)
        if (!isForm) throw notAForm()
      },
    }
    own.post(path, options, posted)
  }
  refuseOthers(own, path, begin, [
    ...(get === undefined ? [] : ['GET', 'HEAD']),
    ...(posted === undefined ? [] : ['POST']),
  ])
}

function refuseOthers(
  own: FastifyInstance,
  path: string,
  begin: (request: FastifyRequest, reply: FastifyReply) => void,
  allowed: readonly string[],
): void {
  noteAddress(own, path, {
    refuses: (method) => !allowed.includes(method),
    refuse(request, reply) {
      begin(request, reply)
      throw new PageError({
        status: 405,
        title: ({ errors }) => errors.wrongMethod.title,
        what: ({ errors }) => errors.wrongMethod.what(allowed.join(', ')),
        remedy: ({ errors }) => errors.wrongMethod.remedy,
        reason: 'wrong_method',
        headers: [['allow', allowed.join(', ')]],
      })
    },
  })
}

function notAForm(): PageError {
  return new PageError({
    status: 415,
    ...errorText(({ errors }) => errors.notAForm),
    reason: 'form_type',
  })
}
