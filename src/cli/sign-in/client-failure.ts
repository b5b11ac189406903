// What the client library throws, as a command ends with it.

import { ClientError, InsufficientUserAuthentication } from '../../client/index.js'
import { CommandFailure, type ExitCode, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'

/** How old a sign-in may be for changes of weight, unless the server says otherwise. */
export const recentSeconds = 600

const codes: Partial<Record<ClientError['code'], ExitCode>> = {
  wrong_use: exitCodes.usage,
  issuer_mismatch: exitCodes.usage,
  unreachable: exitCodes.unreachable,
  timed_out: exitCodes.unreachable,
  try_later: exitCodes.unreachable,
  refused: exitCodes.denied,
  sign_in_required: exitCodes.denied,
  device_denied: exitCodes.denied,
  unauthorized: exitCodes.denied,
  insufficient_scope: exitCodes.denied,
  insufficient_user_authentication: exitCodes.denied,
}

/** Runs `work`; what the library throws becomes a CommandFailure with a sentence and, where we know, what to do. */
export async function asCommand<T>(server: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    // The way to the server failed in a way that is described already.
    if (error.cause instanceof CommandFailure) throw error.cause
    const advice = adviceFor(error, server)
    const message = `${printable(error.message)}${advice === '' ? '' : `\n  ${advice}`}`
    throw new CommandFailure(codes[error.code] ?? exitCodes.failed, message, { cause: error })
  }
}

function adviceFor(error: ClientError, server: string): string {
  const { code, message, retryAfterSeconds } = error
  if (error instanceof InsufficientUserAuthentication) return `Sign in again: ${loginAgain(error, server)}`
  if (code === 'sign_in_required' || code === 'unauthorized') return `Sign in: portcullis login --server ${server}`
  if (/[Dd]evice codes|device authorization endpoint/.test(message)) {
    return 'Sign in with a browser of this machine (login --browser); from elsewhere, forward the port of the printed address with ssh -L. An operator can allow codes with signIn.deviceCodes: all.'
  }
  if (code === 'issuer_mismatch') return 'Say the address exactly as the server’s own base URL has it.'
  if (code === 'try_later' && retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`
  return ''
}

/** What `login` has to say beyond its defaults. */
function loginAgain({ maxAge = recentSeconds, acrValues }: InsufficientUserAuthentication, server: string): string {
  const age = maxAge === recentSeconds ? '' : ` --max-age ${maxAge}`
  return `portcullis login --server ${server}${age}${acrValues?.split(' ')[0] === '2' ? ' --acr 2' : ''}`
}
