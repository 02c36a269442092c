import { Counter, Histogram } from 'prom-client';
import type { Registry } from '../../observe/metrics.ts';

/** @param error OAuth error code; undefined when the token was issued */
export type ObserveToken = (grant: string, error: string | undefined, startedAt: number) => void;

/** Metrics of token requests by grant: outcomes, and the duration of successful ones. */
export function tokenMetrics(registry: Registry): ObserveToken {
  const registers = [registry];
  const tokens = new Counter({
    name: 'understudy_tokens_total',
    help: 'Token endpoint responses by grant; the outcome is "issued" or the OAuth error code',
    labelNames: ['grant', 'outcome'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'understudy_token_seconds',
    help: 'Seconds from the complete token request to its response by grant, including script and database',
    labelNames: ['grant'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  return (grant, error, startedAt) => {
    tokens.inc({ grant, outcome: error ?? 'issued' });
    if (error === undefined) seconds.observe({ grant }, (performance.now() - startedAt) / 1000);
  };
}
