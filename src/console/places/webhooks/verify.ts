import { html } from '../../../pages/html.ts';
import { copyable, section } from '../../parts/parts.ts';
import { type Page, page } from '../../route.ts';
import { receivers } from './receivers.ts';

const showVerify = (): Page => ({
  title: 'Verify signatures',
  lead: 'Verify every request. Otherwise anyone could forge events. The official Standard Webhooks libraries do it in two lines.',
  content: html`<p>Each example is a complete receiver. It reads the signing secret from the environment variable ${copyable('WEBHOOK_SECRET')}: the value that starts with <code class="mono">whsec_</code>, shown when you create a webhook or rotate its secret. The libraries also reject requests older than five minutes.</p>
${receivers.map(({ language, install, code }) =>
  section(
    language,
    html`<p>${copyable(install)}</p><div class="raw-body"><button type="button" class="button compact" hidden data-copy="${code}" aria-label="Copy the code for ${language}">Copy</button><pre class="mono" tabindex="0">${code}</pre></div>`,
  ),
)}`,
});

export const verifyPage = page('/webhooks/verify', showVerify);
