/** What one check saw. */
export interface Finding {
  /** What was looked at: `database.version`. */
  check: string;
  /** `warning`: it serves, but somebody should know. `fault`: it does not serve, or loses or shows what it must not. */
  level: 'ok' | 'warning' | 'fault';
  message: string;
  /** What to do; not for `ok`. */
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

/** A group of checks that itself failed is a finding like any other. */
export async function attempt(check: string, checks: () => Promise<Finding[]>, advice: string): Promise<Finding[]> {
  try {
    return await checks();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return [fault(check, message || String(code), advice)];
  }
}
