import { describe, expect, it } from 'vitest';
import { StateMachine } from '../../src/base/state.ts';

const TRANSITIONS = { closed: ['open'], open: ['closed', 'broken'], broken: [] } as const;
const newDoor = () => new StateMachine<keyof typeof TRANSITIONS>('door', TRANSITIONS, 'closed');

describe('a state machine', () => {
  it('follows the transitions of its table', () => {
    const door = newDoor();
    expect(door.current).toBe('closed');
    door.enter('open');
    expect([door.is('open'), door.is('closed', 'open'), door.is('closed', 'broken')]).toEqual([true, true, false]);
  });

  it('throws on any other transition, and keeps its state', () => {
    const door = newDoor();
    expect(() => door.enter('broken')).toThrow('door: closed → broken is not a transition');
    expect(() => door.enter('closed')).toThrow('door: closed → closed is not a transition');
    expect(door.current).toBe('closed');
  });
});
