import { operations } from '../src/management/index.ts';
import { announced } from '../src/sign-in/actions.ts';

export const summary = 'print which operation, and which flow of the pages, announces which events';

export async function run(): Promise<void> {
  const lines = [
    ...operations.map(({ route, event, also = [] }) => [route, [event ?? [], also.map(({ event }) => event)].flat()]),
    ...Object.entries(announced).map(([flow, events]) => [`${flow} on the pages`, Object.values(events)]),
  ].filter(([, events]) => events.length > 0) as [string, string[]][];

  const width = Math.max(...lines.map(([what]) => what.length));
  for (const [what, events] of lines) console.log(`${what.padEnd(width)}  ${events.join(', ')}`);
}
