import type { Stopped } from '../types.ts';

const killed = (message: string): Stopped => ({ result: 'killed', message });

export const OVERTIME = killed('The script did not stop at its time limit: it was busy in a built-in function.');
export const OVERSIZE: Stopped = { result: 'memory', message: 'The script used more memory than a runner may use.' };
export const CRASHED = killed('The script crashed its runner.');
/** The runner may be controlled by a script, so it is killed. */
export const PROTOCOL_BROKEN = killed('The runner broke the protocol.');
export const BYSTANDER = killed('Another run ended the runner while this one waited for a fetch.');
export const fetchTimeout = (timeoutMs: number): Stopped => ({
  result: 'timeout',
  message: `Timed out after ${timeoutMs.toLocaleString('en-US')} ms while waiting for a fetch.`,
});
