import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api';
import type { Sampler } from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../config/tracing.ts';

const KINDS = { internal: 0, server: 1, client: 2 } satisfies Record<string, SpanKind>;
/** `SpanStatusCode.ERROR` */
const ERROR = 2;

export interface SpanWish {
  name: string;
  kind?: keyof typeof KINDS;
  attributes?: Attributes;
  /** A trace of its own, whatever is under way. */
  isRoot?: boolean;
  /** `traceparent` and `tracestate` of whoever asked. W3C Trace Context. */
  caller?: Record<string, string> | undefined;
}

/** A span that is under way. No secret, no token and nothing of a tenant's own goes into its attributes. */
export interface OpenSpan {
  set(attributes: Attributes): void;
  failed(): void;
  end(): void;
  /** Headers that tell the next service. */
  headers(): Record<string, string>;
  /** Whatever is begun in `work`, now or later, belongs to the span. */
  enclose<T>(work: () => T): T;
}

/** Traces of this process. Parts that can do without it are given none, and then pay nothing. */
export class Tracing {
  readonly #parts: Awaited<ReturnType<typeof load>>;
  readonly #context = new AsyncLocalStorage<Context>();

  private constructor(parts: Awaited<ReturnType<typeof load>>) {
    this.#parts = parts;
  }

  /** Loads OpenTelemetry: whoever does not ask for traces never does. */
  static async start(settings: TracingSettings): Promise<Tracing> {
    return new Tracing(await load(settings));
  }

  open({ name, kind = 'internal', attributes = {}, isRoot = false, caller }: SpanWish): OpenSpan {
    const { tracer, api, propagator } = this.#parts;
    let parent = (isRoot ? undefined : this.#context.getStore()) ?? api.ROOT_CONTEXT;
    if (caller) parent = propagator.extract(parent, caller, api.defaultTextMapGetter);
    const span: Span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent);
    const context = api.trace.setSpan(parent, span);
    return {
      set: (attributes) => void span.setAttributes(attributes),
      failed: () => void span.setStatus({ code: ERROR }),
      end: () => span.end(),
      headers: () => {
        const headers: Record<string, string> = {};
        propagator.inject(context, headers, api.defaultTextMapSetter);
        return headers;
      },
      enclose: (work) => this.#context.run(context, work),
    };
  }

  /** A span around `work`; a rejection fails it, by the name of its error alone. */
  async span<T>(wish: SpanWish, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    const span = this.open(wish);
    try {
      return await span.enclose(() => work(span));
    } catch (error) {
      span.set({ 'error.type': (error as { code?: string }).code ?? (error as Error).name });
      span.failed();
      throw error;
    } finally {
      span.end();
    }
  }

  /** Sends what is still here. */
  async stop(): Promise<void> {
    await this.#parts.provider.shutdown().catch(() => {}); // Nobody to send to is no reason not to stop.
  }
}

/** What reads the environment in there: the endpoint, its headers and certificates, and the attributes of the resource. */
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
