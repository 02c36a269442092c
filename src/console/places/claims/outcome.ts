import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { note } from '../../parts/parts.ts';
import { type Run, resultState } from './script-api.ts';

type TestRun = Result<'POST /configs/jwt-customizer/trial'>;

export const durationOf = ({ wallMs, cpuMs }: Pick<Run, 'wallMs' | 'cpuMs'>): string =>
  `${wallMs.toLocaleString('en')} ms (CPU ${cpuMs.toLocaleString('en')} ms)`;

export const consoleLines = (lines: Run['console']): Html =>
  lines.length === 0
    ? html`<p class="quiet">No console output.</p>`
    : html`<ol class="console-lines mono">${lines.map(({ level, text }) => html`<li class="${level}"><span class="level">${level}</span><span>${text}</span></li>`)}</ol>`;

export const droppedNote = (names: readonly string[]): Html | false =>
  names.length > 0 &&
  note(
    'warn',
    html`<p>Ignored: ${names.map((name, index) => html`${index > 0 && (index === names.length - 1 ? ' and ' : ', ')}<code class="mono">${name}</code>`)} ${names.length === 1 ? 'is a reserved claim' : 'are reserved claims'}.</p>`,
  );

/** The outcome of a test run: its result, the resulting token, and the console output. */
export const outcomeOf = ({ result, message, wallMs, cpuMs, droppedClaims, console, token }: TestRun): Html =>
  html`<div class="row"><p>${resultState(result)}</p><p class="quiet">${durationOf({ wallMs, cpuMs })}</p></div>
${message !== null && note(result === 'denied' ? 'warn' : 'bad', message)}
${token && html`<h2>Resulting token</h2><pre class="mono" tabindex="0" role="region" aria-label="Resulting token">${JSON.stringify(token, null, 2)}</pre>`}
${droppedNote(droppedClaims)}
<h2>Console output</h2>${consoleLines(console)}`;
