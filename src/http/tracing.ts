// Spans of requests, in OpenTelemetry's terms, for operators who have its packages installed and say where spans go:
// one for each request, child of the caller's and parent of the upstream's. Without both nothing is loaded, and a
// request costs nothing. Nothing is patched and no context follows asynchronous calls: a request's own facts carry its
// span.

import type { IncomingMessage } from 'node:http'
import type { Span, Tracer } from '@opentelemetry/api'
import { maskedPath } from './requests/masked-path.js'
import type { RequestContext, RequestTrace } from './requests/request-context.js'
import { isTraceparent } from './requests/trace-context.js'

export interface Tracing {
  /** The span of a request that has just come. */
  begin(request: IncomingMessage, requestId: string): RequestTrace
  /** Sends what waits, for three seconds at most. */
  stop(): Promise<void>
}

export interface TracingOptions {
  /** OpenTelemetry's own variables: OTEL_EXPORTER_OTLP_ENDPOINT and its relatives. */
  env: Readonly<Record<string, string | undefined>>
  version: string
  /** Hears why nothing is traced although somebody wants it. */
  onMissing(message: string): void
}

const serverKind = 1
const errorStatus = 2
const stopMs = 3_000

/** Undefined when nobody said where spans go, or a package is missing. */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { env, version, onMissing } = options
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT']
  if (endpoint === undefined || endpoint === '' || env['OTEL_SDK_DISABLED'] === 'true') return undefined
  const loaded = await loadPackages().catch(() => undefined)
  if (loaded === undefined) {
    onMissing(
      'spans are not sent: @opentelemetry/api, sdk-trace, resources and exporter-trace-otlp-http are not installed',
    )
    return undefined
  }
  const { api, sdk, resources, exporter } = loaded
  const root = new sdk.TraceIdRatioBasedSampler(ratioOf(env))
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': env['OTEL_SERVICE_NAME'] || 'portcullis',
      'service.version': version,
    }),
    sampler: new sdk.ParentBasedSampler({ root }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter() })],
  })
  return {
    begin: beginSpans(provider.getTracer('portcullis', version), api),
    stop: async () => {
      const late = new Promise((resolve) => setTimeout(resolve, stopMs).unref())
      // A collector that is away must not keep a process that wants to end.
      await Promise.race([provider.shutdown().catch(() => undefined), late])
    },
  }
}

type Api = typeof import('@opentelemetry/api')

async function loadPackages() {
  const [api, sdk, resources, exporter] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  return { api, sdk, resources, exporter }
}

/** Of the traces that begin here; a caller's trace is sampled when the caller says so. */
function ratioOf(env: TracingOptions['env']): number {
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? 1)
  return ratio >= 0 && ratio <= 1 ? ratio : 1
}

function beginSpans(tracer: Tracer, { trace, ROOT_CONTEXT }: Api): Tracing['begin'] {
  return (request, requestId) => {
    const given = request.headers['traceparent']
    const parent = typeof given === 'string' && isTraceparent(given) ? remoteParent(given) : undefined
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    const method = request.method ?? ''
    const attributes = { 'http.request.method': method, 'portcullis.request_id': requestId }
    const span = tracer.startSpan(method, { kind: serverKind, attributes }, context)
    const { traceId, spanId, traceFlags } = span.spanContext()
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      end: (facts, status) => endSpan(span, method, facts, status),
    }
  }
}

/** W3C Trace Context §3.2: version, trace, parent, flags. */
function remoteParent(traceparent: string) {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

function endSpan(
  span: Span,
  method: string,
  { target, entry: { route, source, reason, operation, permissions } }: RequestContext,
  status: number,
): void {
  if (route !== undefined) {
    const path = route.startsWith('/') ? `${method} ${route}` : route
    span.updateName(path)
    span.setAttribute('http.route', route)
  }
  span.setAttributes({
    'http.response.status_code': status,
    'url.scheme': 'https',
    'portcullis.source': source,
    ...(target.ok ? { 'url.path': maskedPath(target.path) } : {}),
    ...(operation === undefined ? {} : { 'portcullis.operation': operation }),
    ...(permissions === undefined ? {} : { 'portcullis.permission': permissions.join(' ') }),
    ...(reason === undefined ? {} : { 'error.type': reason }),
  })
  if (status >= 500) span.setStatus({ code: errorStatus })
  span.end()
}
