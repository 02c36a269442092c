import { describe, expect, it } from 'vitest';
import { Closing } from '../../src/base/closing.ts';

describe('closing', () => {
  it('runs every step in the reverse order of creation, also after one that fails', async () => {
    const closing = new Closing();
    const ran: string[] = [];
    closing.add(() => ran.push('database'));
    closing.add(async () => Promise.reject(new Error('the poller did not stop')));
    closing.add(() => {
      ran.push('server');
      throw new Error('the server was closed twice');
    });
    await expect(closing.run()).rejects.toMatchObject({
      errors: [new Error('the server was closed twice'), new Error('the poller did not stop')],
    });
    expect(ran).toEqual(['server', 'database']);
  });

  it('runs each step once', async () => {
    const closing = new Closing();
    let runs = 0;
    closing.add(() => runs++);
    await closing.run();
    await closing.run();
    expect(runs).toBe(1);
  });
});
