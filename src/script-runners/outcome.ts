import type { ConsoleLine, Reply } from '../../sandbox/protocol.ts';
import type { SandboxLimits } from './limits.ts';
import type { CompileOutcome, FailedResult, RunAnswer, RunOutcome, RunResult } from './types.ts';

type Done = Extract<Reply, { kind: 'done' }>;

const LEVELS = ['log', 'info', 'warn', 'error'];
const FAILURES = ['denied', 'thrown', 'timeout', 'memory', 'invalid-result', 'too-large'];

/** Turns an answer into an outcome. A runner is not trusted, so all limits are checked here again. Never throws. */
export function runOutcome(answer: RunAnswer, limits: SandboxLimits): RunOutcome {
  if (answer.from === 'pool') {
    const { result, message, wallMs, cpuMs = wallMs } = answer;
    return stopped(result, message, wallMs, within(cpuMs, wallMs)); // A parked run's CPU time was reported by its runner.
  }
  const { reply } = answer;
  if (reply.kind !== 'done') return stopped('killed', 'The runner broke the protocol.', answer.wallMs);
  const wallMs = answer.sharedTurn ? within(reply.wallMs, answer.wallMs) : answer.wallMs;
  return {
    wallMs,
    cpuMs: within(reply.cpuMs, wallMs),
    spareUsed: reply.spareUsed === true,
    console: consoleOf(reply.console, limits),
    ...resultOf(reply, limits),
  };
}

/** Returns the text of a reply. `String` would throw for an object whose `toString` is not a function. */
const textOf = (reported: unknown): string => (typeof reported === 'string' ? reported : '');

const within = (reported: unknown, most: number): number =>
  typeof reported === 'number' ? Math.min(Math.max(reported, 0), most) : 0;

export function compileOutcome(answer: RunAnswer, limits: SandboxLimits): CompileOutcome {
  if (answer.from === 'pool') {
    return { ok: false, message: answer.message, ...(answer.result === 'overloaded' && { overloaded: true }) };
  }
  const { reply } = answer;
  if (reply.kind !== 'compiled') return { ok: false, message: 'The runner broke the protocol.' };
  if (reply.ok === true) return { ok: true };
  const { line, column } = reply;
  return {
    ok: false,
    message: truncate(textOf(reply.message), limits.messageBytes),
    ...(line !== undefined && column !== undefined && { line, column }),
  };
}

/** Returns the outcome of a run that was stopped, refused or never started. */
export function stopped(result: FailedResult, message: string, wallMs = 0, cpuMs = wallMs): RunOutcome {
  return { result, message, wallMs, cpuMs, console: [], spareUsed: false };
}

function resultOf(reply: Done, limits: SandboxLimits): RunResult {
  if (reply.result !== 'ok') {
    return {
      result: FAILURES.includes(reply.result) ? reply.result : 'killed',
      message: truncate(textOf(reply.message), limits.messageBytes),
    };
  }
  if (Buffer.byteLength(textOf(reply.output)) > limits.resultBytes) {
    return { result: 'too-large', message: `The result is larger than ${limits.resultBytes} bytes.` };
  }
  try {
    // A parsed key named `__proto__` is harmless data, but copying it by assignment would set a prototype.
    const output: unknown = JSON.parse(textOf(reply.output), (key, value) => (key === '__proto__' ? undefined : value));
    if (typeof output === 'object' && output !== null && !Array.isArray(output))
      return { result: 'ok', output: { ...output } };
  } catch {
    // Not JSON: reported below.
  }
  return { result: 'invalid-result', message: 'getCustomJwtClaims must return a plain object.' };
}

function consoleOf(lines: unknown, { consoleBytes }: SandboxLimits): ConsoleLine[] {
  let left = consoleBytes;
  const kept: ConsoleLine[] = [];
  for (const line of Array.isArray(lines) ? (lines as (ConsoleLine | null)[]) : []) {
    if (!line || !LEVELS.includes(line.level) || typeof line.text !== 'string') continue;
    const { level, text } = line;
    const truncated = truncate(text, left);
    left -= Buffer.byteLength(truncated);
    kept.push({ level, text: truncated });
    if (left <= 0) break;
  }
  return kept;
}

/** Truncates to this many UTF-8 bytes, never within a character. */
const truncate = (text: string, bytes: number): string =>
  Buffer.byteLength(text) <= bytes
    ? text
    : Buffer.from(text)
        .toString('utf8', 0, bytes)
        .replace(/\uFFFD$/, '');
