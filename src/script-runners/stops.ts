import type { Stopped } from './types.ts';

export const OVERTIME: Stopped = {
  result: 'killed',
  message: 'The script did not stop at its time limit: it was busy in a built-in function.',
};
export const OVERSIZE: Stopped = { result: 'memory', message: 'The script took more memory than a runner may have.' };
export const CRASHED: Stopped = { result: 'killed', message: 'The script ended its runner.' };
export const OUT_OF_TURN: Stopped = { result: 'killed', message: 'The runner broke the protocol.' }; // It is not ours any more.
export const BYSTANDER: Stopped = {
  result: 'killed',
  message: 'Another run ended the runner while this one waited for a fetch.',
};
export const FETCH_OVERTIME: Stopped = {
  result: 'timeout',
  message: 'The time for the script is over: it was waiting for a fetch.',
};
