import type { EnvironmentReader } from './reader.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** OpenTelemetry's standard variables that its packages do not read themselves. */
export type TracingSettings = NonNullable<ReturnType<typeof readTracing>>;

function readRatio(reader: EnvironmentReader): number {
  const text = reader.text('OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  reader.fault('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1');
  return 1;
}

/** Returns undefined, which turns tracing off, unless an endpoint for traces is configured. */
export function readTracing(reader: EnvironmentReader) {
  const hasEndpoint = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].some(
    (name) => reader.url(name, ['http:', 'https:']) !== undefined,
  );
  const isDisabled = reader.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  const exporter = reader.oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp');
  if (!hasEndpoint || isDisabled || exporter === 'none') return undefined;
  const protocol = reader.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS, 'http/protobuf');
  const maxQueueSize = reader.integer('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, [1, 1_000_000]);
  return {
    protocol: reader.oneOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', PROTOCOLS, protocol),
    sampler: reader.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
    /** For the samplers by ratio: 0 to 1. */
    samplerRatio: readRatio(reader),
    batch: {
      scheduledDelayMillis: reader.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, [1, 600_000]),
      exportTimeoutMillis: reader.integer('OTEL_BSP_EXPORT_TIMEOUT', 30_000, [1, 600_000]),
      maxQueueSize,
      maxExportBatchSize: reader.integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', Math.min(512, maxQueueSize), [
        1,
        maxQueueSize,
      ]),
    },
  };
}
