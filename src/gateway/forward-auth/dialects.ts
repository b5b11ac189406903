// How proxies ask. Each dialect has a path of its own, and one source for each fact about the request in question: a
// proxy that leaves one out is not helped by a client that fills it in.

export interface Dialect {
  /** The path at which proxies call it; with a rest below it where the request itself is the question. */
  path: '/forward-auth' | '/forward-auth/nginx' | '/forward-auth/envoy'
  /** The header fields (lower case) that say which request it is; `itself`: the one that asks. */
  source: { method: string; target: string; host: string } | 'itself'
  /**
   * nginx passes on no other refusals than 401 and 403, and no body: the true status and the body are in header fields
   * beside them.
   */
  knowsOnly401And403: boolean
}

/** The ways to ask: Traefik, Caddy and HAProxy; nginx; Envoy. */
export const dialects: readonly Dialect[] = [
  {
    path: '/forward-auth',
    source: { method: 'x-forwarded-method', target: 'x-forwarded-uri', host: 'x-forwarded-host' },
    knowsOnly401And403: false,
  },
  {
    path: '/forward-auth/nginx',
    source: { method: 'x-original-method', target: 'x-original-uri', host: 'x-forwarded-host' },
    knowsOnly401And403: true,
  },
  { path: '/forward-auth/envoy', source: 'itself', knowsOnly401And403: false },
]
