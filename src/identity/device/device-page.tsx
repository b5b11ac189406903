// /device, where a person allows a device or a program without a browser (RFC 8628 §3.3): type the code, sign in,
// choose a tenant, look at who asks for what from where, decide. Only the form decides, never an address (C3): a link
// can fill the code in, and a person still has to go on from there.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import type { Said } from '../../languages/texts.js'
import { adminConsentUri } from '../../oauth/requests/admin-consent-uri.js'
import { parseUserCode, shownUserCode } from '../../oauth/secrets/user-code.js'
import { findUserCode } from '../../storage/sql/grants/device-decisions.js'
import { findUser } from '../../users/accounts/users.js'
import type { Browser } from '../../web/browser.js'
import { checkForm, type FormFields, formToken } from '../../web/form-token.js'
import { localesWish, wishLanguage } from '../../web/language/reader-language.js'
import { originOf } from '../../web/origin.js'
import { queryOf, queryTextOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import { shownApplication } from '../../web/shown-application.js'
import type { IdentityDependencies } from '../dependencies.js'
import { resumePath, signInPath } from '../pending/paths.js'
import { beginPending, changedPending, findPending, type PendingRequest } from '../pending/pending-request.js'
import { allowDevice, denyDevice } from './device-decision.js'
import { readDevicePending } from './device-request.js'
import { type DeviceQuestion, type DeviceStatus, findWaiting, readDeviceStatus } from './device-status.js'
import { CodePage, DecidedPage, DecisionPage, TenantPage } from './device-views.js'
import { deviceRefusal } from './refusals.js'
import { countTry, userCodeHashes } from './user-codes.js'

const path = '/device'
/** The purpose of a form whose code came in the address. */
const filledPath = '/device:filled'
/** Longer than a code lives: people who are late read why. */
const pendingMs = 30 * 60_000

type ChoosesTenant = Extract<DeviceStatus, { kind: 'tenant' }>

/** Registers the page. */
export function registerDevicePage(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'device',
    get: async (request, reply, browser) => {
      wishLanguage(request, localesWish(queryTextOf(request)), deps.now())
      const pending = await readPending(deps, request, browser)
      if (pending === undefined) return sendCodePage(deps, request, reply, browser)
      return sendStatus(deps, reply, browser, pending, await readDeviceStatus(deps, browser, pending))
    },
    post: async (request, reply, browser) => {
      wishLanguage(request, localesWish(queryTextOf(request)), deps.now())
      const pending = await readPending(deps, request, browser)
      if (pending === undefined) return takeCode(deps, request, reply, browser)
      const status = await readDeviceStatus(deps, browser, pending)
      if (status.kind === 'sign-in') return reply.redirect(signInPath(pending), 303)
      const fields = checkForm(deps, request, browser, scopeOf(pending, status))
      if (status.kind === 'tenant') return takeTenant(deps, reply, browser, { pending, status, fields })
      return takeDecision(deps, request, reply, status.question, fields)
    },
  })
}

async function sendCodePage(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
  wrong?: { problem: Said },
): Promise<FastifyReply> {
  const given = parseUserCode(queryOf(request).get('user_code') ?? undefined)
  const code = wrong !== undefined || given === undefined ? '' : shownUserCode(given)
  const user = browser.session && (await findUser(deps.store.reader, browser.session.userId))
  const filled = code !== ''
  const token = formToken(deps, browser, filled ? filledPath : path)
  const page = (
    <CodePage action={codeAction(request, filled)} token={token} code={code} problem={wrong?.problem} user={user} />
  )
  return sendPage(reply, wrong === undefined ? 200 : 400, page)
}

/** Where the code is posted: with what the page was opened with, as far as it means anything there. */
function codeAction(request: FastifyRequest, filled: boolean): string {
  const wish = localesWish(queryTextOf(request))
  const query = [filled ? ['filled=yes'] : [], wish === undefined ? [] : [`ui_locales=${wish}`]].flat()
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** Looks the code up, counted: what is wrong, too old or decided is one answer. */
async function takeCode(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  // Which page the form is of is in its token, so nobody passes a code that was filled in for one that was typed.
  const filledIn = queryOf(request).get('filled') === 'yes'
  const code = parseUserCode(checkForm(deps, request, browser, filledIn ? filledPath : path).get('user_code'))
  await countTry(deps, browser, requestContext(request).address)
  const hashes = code === undefined ? undefined : userCodeHashes(deps.derive, code)
  const row = hashes === undefined ? undefined : await findUserCode(deps.store.reader, hashes, deps.now())
  const waiting = row === undefined ? undefined : await findWaiting(deps, row.device_hash)
  if (waiting === undefined) {
    const { requestId, address } = requestContext(request)
    deps.activity.note({ event: 'device.code-unknown', requestId, address, userId: browser.session?.userId })
    const problem: Said = ({ device }) => device.unknown
    return sendCodePage(deps, request, reply, browser, { problem })
  }
  const { applicationId } = waiting.registration
  const body = { deviceHash: waiting.row.device_hash, ...(filledIn ? { filledIn } : {}) }
  const pending = beginPending(deps, browser, {
    kind: 'device',
    applicationId,
    language: localesWish(queryTextOf(request)),
    body,
    lifetimeMs: pendingMs,
  })
  return reply.redirect(browser.session === undefined ? signInPath(pending) : resumePath(pending), 303)
}

async function sendStatus(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  pending: PendingRequest,
  status: DeviceStatus,
): Promise<FastifyReply> {
  if (status.kind === 'sign-in') return reply.redirect(signInPath(pending), 303)
  const form = { action: resumePath(pending), token: formToken(deps, browser, scopeOf(pending, status)) }
  if (status.kind === 'tenant') {
    const { user, waiting, memberships } = status
    const named = memberships.map(async (membership) => ({ membership, name: await nameOf(deps, membership.tenantId) }))
    const tenants = await Promise.all(named)
    const application = await shownApplication(deps, waiting.registration)
    return sendPage(reply, 200, <TenantPage {...form} user={user} application={application} tenants={tenants} />)
  }
  const { question } = status
  const page = (
    <DecisionPage
      {...form}
      question={question}
      tenantName={await nameOf(deps, question.membership.tenantId)}
      catalogue={deps.settings.catalogue}
      minutesAgo={Math.max(0, Math.floor((deps.now() - Number(question.row.created_at)) / 60_000))}
      consentUri={question.administrator ? consentUriOf(deps, question) : undefined}
    />
  )
  return sendPage(reply, 200, page)
}

async function takeTenant(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  { pending, status, fields }: { pending: PendingRequest; status: ChoosesTenant; fields: FormFields },
): Promise<FastifyReply> {
  const { waiting, user, memberships } = status
  const chosen = memberships.find(({ tenantId }) => tenantId === fields.get('tenant'))
  if (chosen === undefined) return reply.redirect(resumePath(pending), 303)
  const body = {
    deviceHash: waiting.row.device_hash,
    tenantId: chosen.tenantId,
    chosenBy: user.userId,
    ...filledOf(pending),
  }
  return reply.redirect(resumePath(changedPending(deps, browser, pending, { body })), 303)
}

async function takeDecision(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  question: DeviceQuestion,
  fields: FormFields,
): Promise<FastifyReply> {
  const decision = fields.get('decision')
  if (decision !== 'allow' && decision !== 'deny') return reply.redirect(resumePath(question.pending), 303)
  const origin = originOf(request, { kind: 'user', userId: question.user.userId })
  if (decision === 'allow') await allowDevice(deps, question, origin)
  else await denyDevice(deps, question, origin)
  return sendPage(reply, 200, <DecidedPage allowed={decision === 'allow'} user={question.user} />, { forms: false })
}

/** Undefined: the address names none. Throws PageError for one that is over or another browser's. */
async function readPending(
  deps: IdentityDependencies,
  request: FastifyRequest,
  browser: Browser,
): Promise<PendingRequest | undefined> {
  const id = queryOf(request).get('request')
  if (id === null) return undefined
  const pending = await findPending(deps, browser, id)
  if (pending?.kind !== 'device') throw deviceRefusal('gone')
  return pending
}

/** Kept when the person chooses a tenant. */
function filledOf(pending: PendingRequest): { filledIn?: boolean } {
  return readDevicePending(pending)?.filledIn === true ? { filledIn: true } : {}
}

function consentUriOf(
  deps: IdentityDependencies,
  { registration, membership, request, missing }: DeviceQuestion,
): string {
  const scope = missing
    .filter(({ resource }) => resource === request.resource)
    .map(({ resource, id }) => `${resource}/${id}`)
  const { applicationId } = registration
  const { tenantId } = membership
  return adminConsentUri(deps.settings.server.baseUrl, { applicationId, tenantId, scope: scope.join(' ') })
}

async function nameOf(deps: IdentityDependencies, tenantId: string): Promise<string> {
  return (await deps.directory.findTenant(tenantId))?.name ?? tenantId
}

/** A form agrees to what it showed: to another tenant or list it is none (C2). */
function scopeOf({ id }: PendingRequest, status: Exclude<DeviceStatus, { kind: 'sign-in' }>): string {
  if (status.kind === 'tenant') return `${path}:${id}:tenant`
  const { membership, permissions } = status.question
  return `${path}:${id}:${JSON.stringify([membership.tenantId, permissions])}`
}
