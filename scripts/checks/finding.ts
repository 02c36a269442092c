/** The result of one check. */
export interface Finding {
  /** The name of the check: `database.version`. */
  check: string;
  /**
   * `warning`: the service works, but the operator should act. `fault`: it does not work, loses data or exposes
   * secrets.
   */
  level: 'ok' | 'warning' | 'fault';
  message: string;
  /** How to fix it. Absent for `ok`. */
  advice?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'warning',
  message,
  advice,
});
export const fault = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'fault',
  message,
  advice,
});

/** Runs a group of checks. If the group itself throws, the error becomes a `fault`. */
export async function runChecks(check: string, checks: () => Promise<Finding[]>, advice: string): Promise<Finding[]> {
  try {
    return await checks();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return [fault(check, message || String(code), advice)];
  }
}
