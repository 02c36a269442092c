import { type Html, html } from '../../../pages/html.ts';
import { note } from '../../parts/parts.ts';
import { type Run, resultState } from './stored.ts';

/** How a tried run ended. */
export interface Trial extends Pick<Run, 'result' | 'message' | 'wallMs' | 'cpuMs' | 'droppedClaims' | 'console'> {
  token: Record<string, unknown> | null;
}

export const consoleLines = (lines: Run['console']): Html =>
  lines.length === 0
    ? html`<p class="quiet">The script wrote nothing.</p>`
    : html`<ol class="console-lines mono">${lines.map(({ level, text }) => html`<li class="${level}"><span class="level">${level}</span><span>${text}</span></li>`)}</ol>`;

export const droppedNote = (names: readonly string[]): Html | false =>
  names.length > 0 &&
  note(
    'warn',
    html`<p>Dropped, because the service answers for them: ${names.map((name, index) => html`${index > 0 && ', '}<code class="mono">${name}</code>`)}.</p>`,
  );

/** What the token would hold, and all that is known of the run. */
export const outcomeOf = ({ result, message, wallMs, cpuMs, droppedClaims, console, token }: Trial): Html =>
  html`<div class="row"><p>${resultState(result)}</p><p class="quiet">${wallMs} ms, of which ${cpuMs} ms at work</p></div>
${message !== null && note(result === 'denied' ? 'warn' : 'bad', message)}
${token && html`<h3>The token would hold</h3><pre class="mono" tabindex="0" role="region" aria-label="The token would hold">${JSON.stringify(token, null, 2)}</pre>`}
${droppedNote(droppedClaims)}
<h3>Console</h3>${consoleLines(console)}`;
