// The options of `app create` and `app set` that say what a registration is like. A list that is given replaces the
// whole list; `--no-…` empties it, switches off, or removes.

import { type Command, Option } from 'commander'
import type { Body } from '../../../management/schemas.js'
import { collected } from '../../arguments.js'
import type { Terminal } from '../../output/terminal.js'
import { readKeyFile } from './key-file.js'

/** As commander reads them: `false` is the `--no-…` form. */
export interface RegistrationFlags {
  redirectUri?: string[] | false
  adminConsentRedirectUri?: string[] | false
  logoutRedirectUri?: string[] | false
  requirePkce?: boolean
  authMethod?: 'secret' | 'private_key_jwt' | 'federated'
  jwks?: string | false
  idTokenAlg?: 'RS256' | 'ES256' | 'EdDSA'
  publisher?: string
  verified?: boolean
  deviceCodes?: 'allowed' | 'off'
}

type Fields = Pick<
  Body<'changeApplication'>,
  | 'redirectUris'
  | 'adminConsentRedirectUris'
  | 'logoutRedirectUris'
  | 'requirePkce'
  | 'authMethod'
  | 'jwks'
  | 'idTokenAlg'
  | 'publisher'
  | 'verified'
  | 'deviceCodes'
>

const lists = [
  ['redirect-uri', 'redirect URI'],
  ['admin-consent-redirect-uri', 'admin consent redirect URI'],
  ['logout-redirect-uri', 'logout redirect URI'],
] as const

/** Adds the options. `change`: those too that take something away, which only an application that exists can need. */
export function addRegistrationFlags(command: Command, change = false): Command {
  for (const [flag, name] of lists) {
    command.option(`--${flag} <uri>`, `${name}, repeatable${change ? '; replaces the list' : ''}`, collected)
    if (change) command.option(`--no-${flag}`, `no ${name} at all`)
  }
  command
    .option('--require-pkce', 'refuse authorization requests without a PKCE challenge (native: always)')
    .addOption(
      new Option('--auth-method <method>', 'how it proves itself at the token endpoint').choices([
        'secret',
        'private_key_jwt',
        'federated',
      ]),
    )
    .option('--jwks <file>', 'JSON Web Key Set of its public keys; required with --auth-method private_key_jwt')
    .addOption(
      new Option('--id-token-alg <alg>', 'what its ID tokens are signed with').choices(['RS256', 'ES256', 'EdDSA']),
    )
    .addOption(
      new Option('--device-codes <what>', 'whether it may sign people in by a code').choices(['allowed', 'off']),
    )
    .option('--publisher <name>', 'who publishes it, for the consent page')
    .option('--verified', 'you have made sure that the publisher is who it says')
  if (!change) return command
  return command
    .option('--no-require-pkce', 'let a web application in without PKCE')
    .option('--no-jwks', 'remove its keys')
    .option('--no-verified', 'the publisher is not verified')
}

/**
 * What the options say, as the management API takes it; nothing that was not said. Throws CommandFailure when the file
 * of keys cannot be read.
 */
export async function registrationFields(flags: RegistrationFlags, terminal: Terminal): Promise<Fields> {
  const { requirePkce, authMethod, idTokenAlg, publisher, verified, deviceCodes } = flags
  const said = { requirePkce, authMethod, idTokenAlg, publisher, verified, deviceCodes }
  const uris = {
    redirectUris: listOf(flags.redirectUri),
    adminConsentRedirectUris: listOf(flags.adminConsentRedirectUri),
    logoutRedirectUris: listOf(flags.logoutRedirectUri),
  }
  const jwks = flags.jwks === undefined ? undefined : flags.jwks && (await readKeyFile(flags.jwks, terminal))
  const given = Object.entries({ ...uris, ...said }).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(given), ...(jwks === undefined ? {} : { jwks: jwks || null }) }
}

function listOf(uris: string[] | false | undefined): string[] | undefined {
  return uris === false ? [] : uris
}
