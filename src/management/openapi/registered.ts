// What registers on a listener, as it registers: the only source of which routes the document has.

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { RouteAccess } from '../access/access.js'

export interface RegisteredRoute {
  method: string
  /** As registered: `/applications/:id`. */
  url: string
  /** As OpenAPI writes it: `/applications/{id}`. */
  path: string
  access: RouteAccess | undefined
  body: object | undefined
  query: object | undefined
  /** JSON Schema by status. */
  answers: Readonly<Record<string, object>>
}

/** The routes of `app`, growing while rooms register. Call it before they do. */
export function rememberRoutes(app: FastifyInstance): readonly RegisteredRoute[] {
  const routes: RegisteredRoute[] = []
  app.addHook('onRoute', (route) => {
    if (isGate(route)) return
    for (const method of [route.method].flat()) {
      if (method !== 'HEAD') routes.push(registered(method, route))
    }
  })
  return routes
}

/**
 * `/applications/:id` as OpenAPI writes it. A segment in any case is written as its word
 * (identity/metadata/any-case.ts), and the files that pages load, named after their content, are one.
 */
export function openApiPath(url: string): string {
  return url
    .replace(/^\/assets\/[^/]+$/, '/assets/{file}')
    .replace(/:(\w+)\(\^[^)]*\$\)/g, '$1')
    .replace(/(?<!:):(\w+)/g, '{$1}')
    .replaceAll('::', ':')
}

function registered(method: string, { url, config, schema }: RouteOptions): RegisteredRoute {
  const { body, querystring, response } = (schema ?? {}) as {
    body?: object
    querystring?: object
    response?: Record<string, object>
  }
  return {
    method,
    url,
    path: openApiPath(url),
    access: config?.access,
    body,
    query: querystring,
    answers: response ?? {},
  }
}

/** A wildcard: what is behind it comes from the configuration. */
function isGate({ url }: RouteOptions): boolean {
  return url === '/' || url.endsWith('/*')
}
