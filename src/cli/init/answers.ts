// What `init` has to know, from flags or from a person: five questions, each with what is wrong with an answer.

import { resolve } from 'node:path'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'

export interface InitAnswers {
  baseUrl: string
  /** Files, or the addresses of the proxies that end TLS. */
  tls: { cert: string; key: string } | { behind: string }
  /** Absolute. */
  data: string
  /** As typed: an address, `file:/path`, or empty. */
  store: string
  redis: string
  mail: string
}

/** Flags as typed. */
export interface InitFlags {
  baseUrl?: string
  cert?: string
  key?: string
  behind?: string
  data?: string
  store?: string
  redis?: string
  mail?: string
  defaults?: boolean
}

interface Question {
  text: string
  /** What an empty answer means; absent: there has to be one. */
  fallback?: string
  /** It may hold a password: it is not shown while it is typed, and without it afterwards. */
  isHidden?: boolean
  /** A sentence about what is wrong; undefined: it will do. */
  wrong(answer: string): string | undefined
}

const mostTries = 3

const originWrong = (text: string) => {
  if (!/^https:\/\/[^/?#@\s\\]+$/.test(text) || !URL.canParse(text))
    return 'write an https origin, such as https://api.example.com'
  const { hostname, origin } = new URL(text)
  if (origin !== text) return `write it as ${origin}`
  const isLocal = /(^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname)
  return isLocal ? 'clients elsewhere cannot come to this machine by that name' : undefined
}

const addressWrong =
  (...schemes: string[]) =>
  (text: string) => {
    if (text === '' || /^file:[^\s]/.test(text)) return undefined
    const isOne = URL.canParse(text) && schemes.includes(new URL(text).protocol.replace(':', ''))
    return isOne
      ? undefined
      : `write ${schemes.map((scheme) => `${scheme}://…`).join(' or ')}, file:/path of a file with it, or nothing`
  }

const written = (text: string) => (text.trim() === '' ? 'write a file' : undefined)

const questions = {
  baseUrl: { text: '1/5 Public address, such as https://api.example.com:', wrong: originWrong },
  tls: { text: '2/5 Certificate file (PEM), or proxy when a proxy in front ends TLS:', wrong: written },
  key: { text: '    Its private key file (PEM):', wrong: written },
  behind: {
    text: '    Addresses of the proxy, or CIDR blocks, separated by commas:',
    wrong: (text: string) => (text.trim() === '' ? 'say at least one: only they are believed' : undefined),
  },
  data: { text: '3/5 Data folder', wrong: () => undefined },
  store: {
    text: '4/5 Database: postgresql://…, or nothing for the embedded one (not shown while you type):',
    isHidden: true,
    fallback: '',
    wrong: addressWrong('postgresql', 'postgres'),
  },
  redis: { text: 'redis', fallback: '', wrong: addressWrong('redis', 'rediss') },
  mail: {
    text: '5/5 Mail server: smtps://user:password@host:465, or nothing (not shown while you type):',
    isHidden: true,
    fallback: '',
    wrong: addressWrong('smtp', 'smtps'),
  },
} as const satisfies Record<string, Question>

/** The answers. Throws CommandFailure: what is missing, where nobody is there to ask, and what is wrong. */
export async function initAnswers(folder: string, flags: InitFlags, terminal: Terminal): Promise<InitAnswers> {
  checkTogether(flags)
  const ask = flags.defaults === true ? undefined : terminal.ask
  requireFlags(flags, ask === undefined)
  const take: Take = async (flag, given, question) =>
    given === undefined ? answered(question, ask, terminal) : checked(flag, given, question)
  const baseUrl = await take('--base-url', flags.baseUrl, questions.baseUrl)
  const tls = await tlsOf(flags, take)
  const fallback = resolve(folder, 'data')
  const data = await take('--data', flags.data, {
    ...questions.data,
    text: `${questions.data.text} [${fallback}]:`,
    fallback,
  })
  const store = await take('--store', flags.store, questions.store)
  const mail = await take('--mail', flags.mail, questions.mail)
  const redis = flags.redis === undefined ? '' : checked('--redis', flags.redis, questions.redis)
  return { baseUrl, tls: absolute(tls, terminal.cwd), data: resolve(terminal.cwd, data), store, mail, redis }
}

function checkTogether({ cert, key, behind }: InitFlags): void {
  const usage = (message: string) => new CommandFailure(exitCodes.usage, message)
  if (behind !== undefined && (cert !== undefined || key !== undefined)) {
    throw usage('say --cert and --key, or --behind: a proxy that ends TLS has the certificate')
  }
  if (key !== undefined && cert === undefined) throw usage('--key is of a certificate: say --cert too')
}

function requireFlags({ baseUrl, cert, key, behind }: InitFlags, nobodyAnswers: boolean): void {
  if (!nobodyAnswers) return
  const missing = [
    ...(baseUrl === undefined ? ['--base-url URL'] : []),
    ...(cert === undefined && behind === undefined ? ['--cert FILE --key FILE (or --behind ADDRESSES)'] : []),
    ...(cert !== undefined && key === undefined ? ['--key FILE'] : []),
  ]
  if (missing.length === 0) return
  const optional = '--data, --store, --redis, --mail and --listen have defaults'
  throw new CommandFailure(exitCodes.usage, `nobody is here to ask: say ${missing.join(', ')}; ${optional}`)
}

type Take = (flag: string, given: string | undefined, question: Question) => Promise<string>

async function tlsOf(flags: InitFlags, take: Take): Promise<InitAnswers['tls']> {
  if (flags.behind !== undefined) return { behind: await take('--behind', flags.behind, questions.behind) }
  const cert = await take('--cert', flags.cert, questions.tls)
  if (flags.cert === undefined && cert === 'proxy')
    return { behind: await take('--behind', undefined, questions.behind) }
  return { cert, key: await take('--key', flags.key, questions.key) }
}

function absolute(tls: InitAnswers['tls'], cwd: string): InitAnswers['tls'] {
  return 'behind' in tls ? tls : { cert: resolve(cwd, tls.cert), key: resolve(cwd, tls.key) }
}

function checked(flag: string, given: string, { wrong }: Question): string {
  const why = unprintableIn(given) ?? wrong(given)
  if (why !== undefined) throw new CommandFailure(exitCodes.usage, `${flag}: ${why}`)
  return given
}

async function answered(
  { text, fallback, isHidden, wrong }: Question,
  ask: Terminal['ask'],
  terminal: Pick<Terminal, 'say'>,
): Promise<string> {
  if (ask === undefined) return fallback ?? ''
  let question = text
  for (let left = mostTries; left > 0; left -= 1) {
    const answer = (await ask(`${question} `, isHidden === true)).trim() || (fallback ?? '')
    const why = unprintableIn(answer) ?? wrong(answer)
    if (why === undefined) {
      if (isHidden === true && answer !== '') terminal.say(`    ${withoutPassword(answer)}`)
      return answer
    }
    question = `    ${why}:`
  }
  throw new CommandFailure(exitCodes.usage, 'nothing was written: there is no answer that will do')
}

/** What was typed, for who could not see it: they notice a wrong host. */
function withoutPassword(address: string): string {
  if (!URL.canParse(address) || address.startsWith('file:')) return address
  const { protocol, username, password, host } = new URL(address)
  const user = username === '' && password === '' ? '' : `${username}${password === '' ? '' : ':…'}@`
  return `${protocol}//${user}${host}`
}

function unprintableIn(text: string): string | undefined {
  return /[\u0000-\u001f\u007f]/.test(text) ? 'write it on one line' : undefined
}
