/**
 * Gives up what the process needed only to start: the user it was started as, when that was root.
 *
 * @param {import('./protocol.ts').RunnerSettings} settings
 * @returns {{ uid: number, failed: string[] }}
 */
export function confine({ identity }) {
  /** @type {string[]} */
  const failed = [];
  if (identity) {
    try {
      process.setgroups?.([]);
      process.setgid?.(identity.gid);
      process.setuid?.(identity.uid);
    } catch {
      failed.push('uid');
    }
  }
  return { uid: process.getuid?.() ?? -1, failed };
}
