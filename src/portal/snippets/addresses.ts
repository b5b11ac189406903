// The addresses that programs use, and the one at which they listen.

import type { SnippetFacts } from './facts.js'

/** The addresses of the server that programs use. */
export function endpoints({ baseUrl }: SnippetFacts): { authorize: string; token: string } {
  const at = `${baseUrl}/api/v2/oauth2/v2.0`
  return { authorize: `${at}/authorize`, token: `${at}/token` }
}

/** Where a web application is listened for while nothing else serves it. */
const webPort = 3000

/** Host, port and path for the program's listener. Port 0 is any that is free. */
export function listening({ kind, redirect }: SnippetFacts): { host: string; port: number; path: string } {
  const { loopback, uri } = redirect
  if (loopback !== undefined && (kind === 'native' || loopback.port !== undefined)) {
    return { host: loopback.host, port: loopback.port ?? 0, path: loopback.path === '' ? '/' : loopback.path }
  }
  return { host: '127.0.0.1', port: webPort, path: new URL(uri).pathname }
}
