// What `init` writes: the file, and beside it what may not stand in it.

import type { InitAnswers } from './answers.js'

export interface WrittenFile {
  /** Below the folder. */
  path: string
  text: string
  mode: number
}

/** The files in the order in which they are made; `masterKey` is 32 random bytes. */
export function writtenFiles(answers: InitAnswers, listen: string, masterKey: Buffer): WrittenFile[] {
  const secrets: [string, string][] = [
    ['master-keys', masterKey.toString('base64url')],
    ...(['store', 'redis', 'mail'] as const).flatMap((name): [string, string][] =>
      isKept(answers[name]) ? [[`${name}-url`, answers[name]]] : [],
    ),
  ]
  return [
    ...secrets.map(([name, value]) => ({ path: `secrets/${name}`, text: `${value}\n`, mode: 0o600 })),
    { path: 'portcullis.yaml', text: configuration(answers, listen), mode: 0o644 },
  ]
}

/** Whether it is an address itself, which may hold a password, and not a file with one. */
function isKept(address: string): boolean {
  return address !== '' && !address.startsWith('file:')
}

function configuration({ baseUrl, tls, data, store, redis, mail }: InitAnswers, listen: string): string {
  const { hostname } = new URL(baseUrl)
  const reference = (name: string, address: string) => quoted(isKept(address) ? `file:secrets/${name}-url` : address)
  const section = (name: string, lines: readonly string[]) =>
    `\n${name}:\n${lines.map((line) => `  ${line}\n`).join('')}`
  return [
    '# Portcullis in production, written by: portcullis init. Every setting with its default: /docs/configuration-reference\n',
    '# Check it with: portcullis check --mode production --config portcullis.yaml\n',
    '\nversion: 1\nmode: production\n',
    '\n# The rules of your services, a file each; /docs/your-own-service has one to begin with. They are read again when they change.\n',
    'include: [conf.d/*.yaml]\n',
    section('server', [
      `baseUrl: ${quoted(baseUrl)}`,
      `listen: ${quoted(listen)}`,
      ...('behind' in tls
        ? [
            'tls: off # the proxy ends it, and sets X-Forwarded-For and X-Forwarded-Proto',
            `trustedProxies: ${quoted(tls.behind)}`,
          ]
        : [`tls: { cert: ${quoted(tls.cert)}, key: ${quoted(tls.key)} } # read again when they change`]),
    ]),
    section('data', [`folder: ${quoted(data)}`]),
    section('secrets', [
      'masterKeys: file:secrets/master-keys # keep a copy apart: without them the database opens nothing',
    ]),
    ...(store === '' ? [] : [section('store', [`url: ${reference('store', store)}`])]),
    ...(redis === '' ? [] : [section('redis', [`url: ${reference('redis', redis)}`])]),
    ...(mail === ''
      ? []
      : [section('mail', [`url: ${reference('mail', mail)}`, `from: ${quoted(`Portcullis <no-reply@${hostname}>`)}`])]),
  ].join('')
}

/** As YAML reads it, and with nothing in it that would be read as a reference. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll('${', () => '$${'))
}
