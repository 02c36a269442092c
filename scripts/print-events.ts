import { operations } from '../src/management/index.ts';
import { completionEvents } from '../src/sign-in/actions.ts';

export const summary = 'Print which operation, and which flow of the pages, announces which events.';

export async function run(): Promise<void> {
  const announcements: [what: string, events: string[]][] = [
    ...operations.map(({ route, event, furtherEvents = [] }): [string, string[]] => [
      route,
      [event ?? [], furtherEvents.map(({ event }) => event)].flat(),
    ]),
    ...Object.entries(completionEvents).map(([flow, events]): [string, string[]] => [
      `${flow} on the pages`,
      Object.values(events),
    ]),
  ];
  const announcing = announcements.filter(([, events]) => events.length > 0);
  const width = Math.max(...announcing.map(([what]) => what.length));
  for (const [what, events] of announcing) console.log(`${what.padEnd(width)}  ${events.join(', ')}`);
}
