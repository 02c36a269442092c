import { operations } from '../src/management/index.ts';
import { completionEvents } from '../src/sign-in/interaction/complete.ts';

export const summary = 'Print the events that each operation and each sign-in flow sends.';

export async function run(): Promise<void> {
  const sources: [source: string, events: string[]][] = [
    ...operations.map(({ route, event, furtherEvents = [] }): [string, string[]] => [
      route,
      [event ?? [], furtherEvents.map(({ event }) => event)].flat(),
    ]),
    ...Object.entries(completionEvents).map(([flow, events]): [string, string[]] => [
      `${flow} on the sign-in pages`,
      Object.values(events),
    ]),
  ];
  const withEvents = sources.filter(([, events]) => events.length > 0);
  const width = Math.max(...withEvents.map(([source]) => source.length));
  for (const [source, events] of withEvents) console.log(`${source.padEnd(width)}  ${events.join(', ')}`);
}
