import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api';
import type { Sampler } from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../config/tracing.ts';

const KINDS = { internal: 0, server: 1, client: 2 } satisfies Record<string, SpanKind>;
/** `SpanStatusCode.ERROR` */
const ERROR = 2;

export interface SpanOptions {
  name: string;
  kind?: keyof typeof KINDS;
  attributes?: Attributes;
  /** Starts a new trace, even inside another span. */
  isRoot?: boolean;
  /** `traceparent` and `tracestate` of the caller (W3C Trace Context). */
  caller?: Record<string, string> | undefined;
}

/** An open span. Its attributes never contain a secret, a token or data of a tenant. */
export type OpenSpan = ReturnType<Tracing['open']>;

/** Tracing of this process. Without it, parts receive undefined and have no overhead. */
export class Tracing {
  readonly #parts: Awaited<ReturnType<typeof load>>;
  readonly #context = new AsyncLocalStorage<Context>();

  private constructor(parts: Awaited<ReturnType<typeof load>>) {
    this.#parts = parts;
  }

  /** Loads OpenTelemetry, which is never loaded if tracing is off. */
  static async start(settings: TracingSettings): Promise<Tracing> {
    return new Tracing(await load(settings));
  }

  open({ name, kind = 'internal', attributes = {}, isRoot = false, caller }: SpanOptions) {
    const { tracer, api, propagator } = this.#parts;
    let parent = (isRoot ? undefined : this.#context.getStore()) ?? api.ROOT_CONTEXT;
    if (caller) parent = propagator.extract(parent, caller, api.defaultTextMapGetter);
    const span: Span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent);
    const context = api.trace.setSpan(parent, span);
    return {
      set: (attributes: Attributes) => void span.setAttributes(attributes),
      markFailed: () => void span.setStatus({ code: ERROR }),
      end: () => span.end(),
      /** Headers that pass the trace to the next service. */
      headers: () => {
        const headers: Record<string, string> = {};
        propagator.inject(context, headers, api.defaultTextMapSetter);
        return headers;
      },
      /** Spans opened in `work`, now or later, become children of this one. */
      enclose: <T>(work: () => T): T => this.#context.run(context, work),
    };
  }

  /** Runs `work` in a span. A rejection marks it as failed, with only the code or name of the error. */
  async span<T>(options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    const span = this.open(options);
    try {
      return await span.enclose(() => work(span));
    } catch (error) {
      span.set({ 'error.type': (error as { code?: string }).code ?? (error as Error).name });
      span.markFailed();
      throw error;
    } finally {
      span.end();
    }
  }

  /** Sends the remaining spans. */
  async stop(): Promise<void> {
    await this.#parts.provider.shutdown().catch(() => {}); // An unreachable collector must not prevent the stop.
  }
}

/** OpenTelemetry's packages read the endpoint, its headers and certificates, and resource attributes themselves. */
async function load({ protocol, sampler, samplerRatio, batch }: TracingSettings) {
  const [api, { W3CTraceContextPropagator }, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    protocol === 'http/json'
      ? import('@opentelemetry/exporter-trace-otlp-http')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  const plain = (name: string): Sampler => {
    if (name === 'always_off') return new sdk.AlwaysOffSampler();
    if (name === 'traceidratio') return new sdk.TraceIdRatioBasedSampler(samplerRatio);
    return new sdk.AlwaysOnSampler();
  };
  const [, isParentBased, name = ''] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'understudy' })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: isParentBased ? new sdk.ParentBasedSampler({ root: plain(name) }) : plain(name),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...batch })],
  });
  return { api, provider, tracer: provider.getTracer('understudy'), propagator: new W3CTraceContextPropagator() };
}
